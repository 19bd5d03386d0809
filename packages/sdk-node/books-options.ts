/** What an application may set, and what it may ask. */
import type { CallContext } from './call-context.ts';
import type { Fetch } from './metered-fetch.ts';
import type { UsageEvent } from './usage-event.ts';

export interface BooksOptions {
  /** Origin of the service. Default: `BOOKS_API_URL`, else `http://127.0.0.1:8080`. */
  readonly url?: string | undefined;
  /** A key with the scope `usage:write`. Default: `BOOKS_API_KEY`. */
  readonly apiKey?: string | undefined;
  /**
   * How events leave. `signed`: to `/v1`, every batch signed with the key. `otlp`: as log records of OpenTelemetry, with a key that may
   * write unsigned and do nothing else, for places where no signing secret can be kept. Default: `signed`.
   */
  readonly mode?: 'signed' | 'otlp' | undefined;
  /** A directory that keeps events across the end of the process. Default: `BOOKS_SPOOL`, else none. */
  readonly spool?: string | undefined;
  /** What the spool may take, in bytes. Default: 1 GiB. */
  readonly spoolBytes?: number | undefined;
  /** A file for events that the service refuses, one JSON line each. Default: `rejected.ndjson` in the spool, else none. */
  readonly deadLetters?: string | undefined;
  /** What unsent events may take of memory, in bytes of JSON. Default: 16 MiB. */
  readonly bufferBytes?: number | undefined;
  /** Called for each event that will never be sent, with the cause. */
  readonly onDrop?: ((event: UsageEvent, reason: string) => void) | undefined;
  /**
   * Called for what goes wrong: a key that is refused, a wrong address, a service that is away for more than a minute (each once, until
   * events are accepted again), and what is wrong within the library. Default: one line on standard error for each message.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Keeps the runtime alive until a promise is settled, where it would otherwise end with the response. */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
  /** Providers by hosts of your own, such as a gateway's: `{ 'llm.internal:4000': 'openai' }`. */
  readonly providers?: Readonly<Record<string, string>> | undefined;
  /** What requests are made with. Default: the runtime's own. */
  readonly fetch?: Fetch | undefined;
}

export interface BooksStats {
  /** Billed responses that became an event. */
  readonly events: number;
  /** Of them: those that ended early. Their counts are estimates, and they say `incomplete`. */
  readonly incomplete: number;
  /** Billed responses without usage, such as speech: no event. */
  readonly unread: number;
  readonly sent: number;
  readonly pending: number;
  readonly pendingBytes: number;
  /** Refused by the service, and never sent again. */
  readonly rejected: number;
  /** Lost: the buffer was full, the process ended first, or there is no key. */
  readonly dropped: number;
  readonly retries: number;
  readonly spoolErrors: number;
  readonly lastError: string | null;
}

/** What `track` may be told besides whom a call was for. */
export interface TrackContext extends CallContext {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** When the call was made. Default: now. */
  readonly invokedAt?: Date | undefined;
}
