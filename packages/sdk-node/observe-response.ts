/** Passes a response through while reading its usage. `finish` is called once, however the response ends. */
import { createEventCutter, dataOf, join } from './event-stream.ts';
import { isUsageChunk } from './provider-call.ts';
import { type Hints, type Reading, readResponse } from './read-response.ts';
import { pieceWeight } from './estimate-tokens.ts';
import { createStreamReader, estimateOf } from './read-stream.ts';

type Bytes = Uint8Array<ArrayBuffer>;
type Finish = (reading: Reading | null | 'unread') => void;

/** Maximum size of a body that is read. Longer bodies are passed on unread. */
const BODY_BYTES_MAX = 64 * 1024 * 1024;
const AHEAD_BYTES_MAX = 1024 * 1024;

/**
 * Observes a JSON body. It is read to its end even if the caller reads only part of it, since it is billed either way.
 */
export function observeBody(body: ReadableStream<Bytes>, hints: Hints, finish: Finish): ReadableStream<Bytes> {
  const reader = body.getReader();
  const parts: Bytes[] = [];
  let size = 0;
  let isCancelled = false;
  const pump = async (controller: ReadableStreamDefaultController<Bytes>): Promise<void> => {
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        size += next.value.length;
        if (size <= BODY_BYTES_MAX) parts.push(next.value);
        if (!isCancelled) controller.enqueue(next.value);
      }
    } catch (error) {
      finish(readEarlyEnd(hints, join(parts)));
      if (!isCancelled) controller.error(error);
      return;
    }
    finish(size > BODY_BYTES_MAX ? 'unread' : readText(join(parts), hints));
    if (!isCancelled) controller.close();
  };
  return new ReadableStream<Bytes>({
    start(controller) {
      void pump(controller);
    },
    cancel() {
      isCancelled = true;
    },
  });
}

function readEarlyEnd({ provider = null, model = null, request }: Hints, bytes: Uint8Array): Reading {
  const estimate = estimateOf(request, pieceWeight(new TextDecoder().decode(bytes)), model);
  return { provider, id: null, model, usage: null, serviceTier: null, isWhole: false, estimate };
}

/** Reads a whole body. Incomplete JSON means that the connection ended early, so its tokens are estimated. */
function readText(bytes: Uint8Array, hints: Hints): Reading | null | 'unread' {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return readEarlyEnd(hints, bytes);
  }
  const reading = readResponse(body, hints);
  if (reading !== null) return reading;
  const isPending = typeof body === 'object' && body !== null && 'status' in body;
  return isPending ? null : 'unread';
}

interface EventsInput {
  readonly hints: Hints;
  readonly signal: AbortSignal | null | undefined;
  /** True to drop the usage chunk, because the caller did not request it. */
  readonly isFiltered: boolean;
}

/**
 * Observes a stream of server-sent events. Reads up to 1 MiB ahead of the caller, since a stream that is abandoned but
 * not cancelled is billed to its end. Cancelling it cancels the provider's stream.
 */
export function observeEvents(
  body: ReadableStream<Bytes>,
  { hints, signal, isFiltered }: EventsInput,
  finish: Finish,
): ReadableStream<Bytes> {
  const reader = body.getReader();
  const events = createStreamReader(hints);
  const cutter = createEventCutter(isFiltered ? Infinity : BODY_BYTES_MAX);
  let isFinished = false;
  const end = (hasEnded: boolean): void => {
    if (isFinished) return;
    isFinished = true;
    signal?.removeEventListener('abort', abort);
    finish(events.finish(hasEnded));
  };
  const abort = () => end(false);
  const read = (data: string): void => {
    try {
      events.take(data);
    } catch {
      // A parsing error must never affect the caller.
    }
  };
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort);

  /** Returns the bytes to pass on to the caller. */
  const take = (bytes: Bytes): Bytes => {
    const kept: Bytes[] = [];
    for (const event of cutter.cut(bytes) as Bytes[]) {
      const data = dataOf(event);
      read(data);
      if (isFiltered && !isUsageChunk(data)) kept.push(event);
    }
    return isFiltered ? (join(kept) as Bytes) : bytes;
  };
  /** Handles a last event without its blank line. */
  const takeRest = (): Bytes => {
    const rest = cutter.rest() as Bytes;
    const data = rest.length === 0 ? '' : dataOf(rest);
    read(data);
    return isFiltered && !isUsageChunk(data) ? rest : new Uint8Array();
  };

  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        try {
          for (let next = await reader.read(); !next.done; next = await reader.read()) {
            const shown = take(next.value);
            if (shown.length === 0) continue;
            controller.enqueue(shown);
            return;
          }
        } catch (error) {
          end(false);
          controller.error(error);
          return;
        }
        const rest = takeRest();
        if (rest.length > 0) controller.enqueue(rest);
        end(true);
        controller.close();
      },
      cancel(reason) {
        end(false);
        return reader.cancel(reason);
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: AHEAD_BYTES_MAX }),
  );
}
