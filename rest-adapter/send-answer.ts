/** Sends the text of a response. Unread data of slow clients is limited, in bytes per organization and in time. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { recordRefusal } from '#platform/metrics.ts';
import { type Piece, printInSlices, printShort } from '#platform/print-in-slices.ts';
import { fail } from '#kernel/errors.ts';
import { whenClosed } from './when-closed.ts';

export interface AnswerLimits {
  /** Bytes of an organization's responses that are printed but not yet read by its clients. */
  readonly bytesMax: number;
  /** The connection is closed after this time. */
  readonly takenWithinMilliseconds: number;
}

export type SendAnswer = (request: FastifyRequest, reply: FastifyReply, answer: unknown) => Promise<FastifyReply>;

/** Length of a piece. Longer responses are sent piece by piece, as the client reads them. */
const PIECE_CHARACTERS = 64 * 1024;
const WHOLE_CHARACTERS_MAX = 16 * PIECE_CHARACTERS;

const RETRY_SECONDS = 5;

/**
 * Fails with `RATE_LIMIT_EXCEEDED` while clients of the organization have left too many bytes of earlier responses
 * unread. A single response is always allowed.
 */
export function answerSender({ bytesMax, takenWithinMilliseconds }: AnswerLimits): SendAnswer {
  const untaken = new Map<string, number>();
  return async (request, reply, answer) => {
    const text = printShort(answer);
    const pieces = text === null ? await printInSlices(answer) : [text];
    const length = pieces.reduce((total, piece) => total + piece.length, 0);
    const organizationId = request.principal.organizationId ?? '';
    const before = untaken.get(organizationId) ?? 0;
    if (before > 0 && before + length > bytesMax) {
      recordRefusal('answers_unread');
      fail('RATE_LIMIT_EXCEEDED', 'Earlier answers to this organization have not been read yet', {
        retryAfterSeconds: RETRY_SECONDS,
      });
    }
    reply.type('application/json; charset=utf-8');
    reply.send(length > WHOLE_CHARACTERS_MAX ? partByPart(gathered(pieces)) : whole(pieces, length));
    if (isTaken(reply)) return reply;
    untaken.set(organizationId, before + length);
    const overdue = setTimeout(() => reply.raw.destroy(), takenWithinMilliseconds);
    whenClosed(reply, () => {
      clearTimeout(overdue);
      const left = (untaken.get(organizationId) ?? 0) - length;
      if (left > 0) untaken.set(organizationId, left);
      else untaken.delete(organizationId);
    });
    return reply;
  };
}

/** True if the whole response was sent at once, as a short one is if the client reads. */
function isTaken({ raw }: FastifyReply): boolean {
  return raw.writableEnded && raw.writableLength === 0;
}

/** `Readable.from` retains its source; this stream retains nothing that it has passed on. */
function partByPart(parts: Iterator<Buffer>): Readable {
  return new Readable({
    read() {
      const next = parts.next();
      this.push(next.done ? null : next.value);
    },
  });
}

/**
 * Returns bytes for a large or already printed response, which avoids a string of that size. Never returns a stream:
 * each stream kept what it had sent until the next full garbage collection, and caused that collection.
 */
function whole(pieces: readonly Piece[], length: number): string | Buffer {
  const [first] = pieces;
  return pieces.length === 1 && typeof first === 'string' && length <= PIECE_CHARACTERS
    ? first
    : Buffer.concat([...gathered(pieces)]);
}

/** Joins many small pieces into a few large ones. */
function* gathered(pieces: readonly Piece[]): Generator<Buffer> {
  let text = '';
  for (const piece of pieces) {
    if (typeof piece === 'string') text += piece;
    if (typeof piece === 'string' && text.length < PIECE_CHARACTERS) continue;
    if (text !== '') yield Buffer.from(text);
    text = '';
    if (typeof piece !== 'string') yield piece;
  }
  if (text !== '') yield Buffer.from(text);
}
