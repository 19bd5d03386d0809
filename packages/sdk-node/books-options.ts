/** Options and statistics of the library. */
import type { CallContext } from './call-context.ts';
import type { Fetch } from './metered-fetch.ts';
import type { UsageEvent } from './usage-event.ts';

export interface BooksOptions {
  /** Origin of the service. Default: `BOOKS_API_URL`, otherwise `http://127.0.0.1:8080`. */
  readonly url?: string | undefined;
  /** API key with the scope `usage:write`. Default: `BOOKS_API_KEY`. */
  readonly apiKey?: string | undefined;
  /**
   * How events are sent. `signed`: to `/v1`, with every batch signed with the key. `otlp`: as OpenTelemetry log
   * records, with a key that may only write, unsigned; for environments that cannot keep a signing secret. Default:
   * `signed`.
   */
  readonly mode?: 'signed' | 'otlp' | undefined;
  /** Directory that keeps unsent events across process exits. Default: `BOOKS_SPOOL`, otherwise none. */
  readonly spool?: string | undefined;
  /** Maximum size of the spool in bytes. Default: 1 GiB. */
  readonly spoolBytes?: number | undefined;
  /** File for rejected and lost events, one JSON line each. Default: `rejected.ndjson` in the spool, otherwise none. */
  readonly deadLetters?: string | undefined;
  /** Maximum memory for unsent events, in bytes of JSON. Default: 16 MiB. */
  readonly bufferBytes?: number | undefined;
  /** Called for each rejected or lost event, with the reason. */
  readonly onDrop?: ((event: UsageEvent, reason: string) => void) | undefined;
  /**
   * Called for problems: a refused key, a wrong address, a service that accepts nothing for more than a minute (each
   * once, until events are accepted again), and errors within the library. Default: one line on standard error for
   * each message.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Keeps the runtime alive until a promise is settled, if it would otherwise end with the response. */
  readonly waitUntil?: ((promise: Promise<unknown>) => void) | undefined;
  /** Providers of your own hosts, e.g. of a gateway: `{ 'llm.internal:4000': 'openai' }`. */
  readonly providers?: Readonly<Record<string, string>> | undefined;
  /** `fetch` for all requests. Default: the runtime's. */
  readonly fetch?: Fetch | undefined;
}

/** Counts of events, and of outcomes, which have a queue of their own. */
export interface BooksStats extends DeliveryStats {
  /** Billed responses reported as events. */
  readonly events: number;
  /** Events of responses that ended early. Their counts are estimated, and they are marked `incomplete`. */
  readonly incomplete: number;
  /** Billed responses without usage, e.g. speech: not reported as events. */
  readonly unread: number;
  readonly outcomes: DeliveryStats;
}

export interface DeliveryStats {
  readonly sent: number;
  readonly pending: number;
  readonly pendingBytes: number;
  /** Rejected by the service. They are not retried. */
  readonly rejected: number;
  /** Lost: the buffer was full, the process ended, or the key is missing. */
  readonly dropped: number;
  readonly retries: number;
  readonly spoolErrors: number;
  readonly lastError: string | null;
}

/** Context of `track`. */
export interface TrackContext extends CallContext {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** Time of the call. Default: now. */
  readonly invokedAt?: Date | undefined;
}
