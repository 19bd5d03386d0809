/** Simulated failures of the processor. Add one to `faults` of the stand-in; it applies `times` times. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import { type Answer, errorAnswer } from './answer.ts';

export interface Fault {
  times: number;
  /** Limits the fault to paths with this prefix, e.g. `/v1/invoices`. */
  readonly path?: string;
  readonly onlyPagesAfterFirst?: boolean;
  act(moment: FaultMoment): Promise<void> | void;
}

interface FaultMoment {
  readonly response: ServerResponse;
  readonly url: URL;
  /** The response without the fault. */
  honest(): Answer;
  send(answer: Answer): void;
}

type Where = Pick<Fault, 'path' | 'onlyPagesAfterFirst'>;

/** Closes the connection without a response. */
export function down(times: number, where: Where = {}): Fault {
  return {
    times,
    ...where,
    act: ({ response }) => {
      response.destroy();
    },
  };
}

/** Responds with status 503. */
export function serverError(times: number, where: Where = {}): Fault {
  return { times, ...where, act: ({ send }) => send(errorAnswer(503, 'api_error', 'An unknown error occurred')) };
}

/** Responds with status 429. */
export function rateLimited(times: number, retryAfterSeconds: number, where: Where = {}): Fault {
  return {
    times,
    ...where,
    act: ({ send }) =>
      send({
        ...errorAnswer(429, 'invalid_request_error', 'Request rate limit exceeded', { code: 'rate_limit' }),
        headers: { 'retry-after': String(retryAfterSeconds) },
      }),
  };
}

export function slow(times: number, milliseconds: number, where: Where = {}): Fault {
  return {
    times,
    ...where,
    act: async ({ send, honest }) => {
      await sleep(milliseconds);
      send(honest());
    },
  };
}

/** Sends the headers and half of the body, then cuts the connection. */
export function cutMidPage(times: number, where: Where = {}): Fault {
  return {
    times,
    ...where,
    act: ({ response, honest }) => {
      const text = JSON.stringify(honest().body);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.write(text.slice(0, Math.floor(text.length / 2)), () => response.destroy());
    },
  };
}

/** Sends an unexpected body with status 200. */
export function junk(times: number, body: unknown, where: Where = {}): Fault {
  return { times, ...where, act: ({ send }) => send({ status: 200, body }) };
}

/** Sends the first page instead of the next one. */
export function samePageAgain(times: number, where: Where = {}): Fault {
  return {
    times,
    ...where,
    onlyPagesAfterFirst: true,
    act: ({ send, honest, url }) => {
      url.searchParams.delete('starting_after');
      send(honest());
    },
  };
}

/** Sends every object of the page twice. */
export function doubledObjects(times: number, where: Where = {}): Fault {
  return {
    times,
    ...where,
    act: ({ send, honest }) => {
      const { status, body } = honest();
      const list = body as { data?: unknown[] };
      send({ status, body: { ...list, data: (list.data ?? []).flatMap((object) => [object, object]) } });
    },
  };
}
