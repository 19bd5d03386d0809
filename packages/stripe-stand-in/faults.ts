/** The ways in which a processor fails. Put one into `faults` of the stand-in; it applies `times` times. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';
import { type Answer, errorAnswer } from './answer.ts';

export interface Fault {
  times: number;
  /** Only requests whose path begins so, such as `/v1/invoices`. */
  readonly path?: string;
  readonly onlyPagesAfterFirst?: boolean;
  act(moment: FaultMoment): Promise<void> | void;
}

interface FaultMoment {
  readonly response: ServerResponse;
  readonly url: URL;
  /** What would have been answered. */
  honest(): Answer;
  send(answer: Answer): void;
}

type Where = Pick<Fault, 'path' | 'onlyPagesAfterFirst'>;

/** The connection is closed without an answer. */
export function down(times: number, where: Where = {}): Fault {
  return {
    times,
    ...where,
    act: ({ response }) => {
      response.destroy();
    },
  };
}

export function serverError(times: number, where: Where = {}): Fault {
  return { times, ...where, act: ({ send }) => send(errorAnswer(503, 'api_error', 'An unknown error occurred')) };
}

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

/** The head and half of the body arrive, then the connection is cut. */
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

/** An answer with status 200 that is not what it should be. */
export function junk(times: number, body: unknown, where: Where = {}): Fault {
  return { times, ...where, act: ({ send }) => send({ status: 200, body }) };
}

/** The page that was just read comes once more. */
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

/** Every object of the page twice. */
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
