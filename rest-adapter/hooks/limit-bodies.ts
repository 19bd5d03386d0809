/** Bounds the bytes of bodies that are under way, from the first byte to the answer: beyond, a request is refused before it is read. */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { KnownError } from '../../schema/errors.ts';

export interface BodyLimits {
  readonly bodyMax: number;
  readonly organizationMax: number;
  readonly totalMax: number;
}

const RETRY_SECONDS = 1;

/** What a body counts that does not say its length, until it has been read. */
const UNKNOWN_BYTES = 64 * 1024;

type Hook = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void;

/** `announced` needs the principal, `received` the body. */
export function limitBodies({ bodyMax, organizationMax, totalMax }: BodyLimits): { announced: Hook; received: Hook } {
  const held = new Map<string, number>();
  let total = 0;
  const shares = new WeakMap<FastifyRequest, number>();

  const grow = (request: FastifyRequest, bytes: number): KnownError | null => {
    const organizationId = request.principal.organizationId ?? '';
    const own = held.get(organizationId) ?? 0;
    const share = shares.get(request) ?? 0;
    if (own > share && own + bytes > organizationMax)
      return tooMuch('This organization sends too much at a time: wait for earlier batches');
    if (total > share && total + bytes > totalMax) return tooMuch('Too much is being sent at a time');
    total += bytes;
    held.set(organizationId, own + bytes);
    shares.set(request, share + bytes);
    return null;
  };
  const release = (request: FastifyRequest): void => {
    const organizationId = request.principal.organizationId ?? '';
    const share = shares.get(request) ?? 0;
    total -= share;
    const left = (held.get(organizationId) ?? 0) - share;
    if (left > 0) held.set(organizationId, left);
    else held.delete(organizationId);
  };
  return {
    announced(request, reply, done) {
      const length = Number(request.headers['content-length'] ?? UNKNOWN_BYTES);
      // What is too large, or cannot be read, is refused by the parser.
      const refusal = grow(request, Number.isFinite(length) ? Math.min(length, bodyMax) : UNKNOWN_BYTES);
      if (refusal) return done(refusal);
      reply.raw.once('close', () => release(request));
      done();
    },
    received(request, _reply, done) {
      const more = ((request.body as Buffer | undefined)?.length ?? 0) - (shares.get(request) ?? 0);
      done(more > 0 ? (grow(request, more) ?? undefined) : undefined);
    },
  };
}

function tooMuch(message: string): KnownError {
  return new KnownError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_SECONDS });
}
