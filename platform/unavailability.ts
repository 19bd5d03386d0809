/**
 * Classifies errors caused by an unavailable dependency: a database, a subgraph or the gateway. Such an error becomes
 * a 503, and the sender may retry; every other unknown error is an internal error and becomes a 500 (decision 9, D63).
 */

/** Kind of unavailability, as shown in the log and in `/readyz`. */
export type UnavailableState = 'unreachable' | 'unresponsive' | 'overloaded' | 'read-only' | 'disk full';

export interface Unavailability {
  readonly state: UnavailableState;
  /** The error code, or the driver's message if there is none. For the log, never for a caller. */
  readonly cause: string;
}

/** Message for callers. The affected part is logged but not revealed, since a caller can only wait. */
export const AWAY_MESSAGE = 'This is not available for the moment. Send the same request again soon';

/** SQLSTATEs or their classes (PostgreSQL, appendix A), Node's and undici's codes. The longest match counts. */
const STATES: Readonly<Record<string, UnavailableState>> = {
  // Connections that fail or break.
  '08': 'unreachable',
  // The server is shutting down, has crashed, is starting or recovering, or the database was dropped.
  '57P01': 'unreachable',
  '57P02': 'unreachable',
  '57P03': 'unreachable',
  '57P04': 'unreachable',
  // A statement, lock or session exceeded its time limit.
  '57014': 'unresponsive',
  '57P05': 'unresponsive',
  '55P03': 'unresponsive',
  '25P03': 'unresponsive',
  '25P04': 'unresponsive',
  // Too many connections, out of memory, or a configured limit was reached.
  '53': 'overloaded',
  '53100': 'disk full',
  '58030': 'disk full',
  // A standby after a failover.
  '25006': 'read-only',
  ECONNREFUSED: 'unreachable',
  ECONNRESET: 'unreachable',
  ECONNABORTED: 'unreachable',
  EPIPE: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETDOWN: 'unreachable',
  ETIMEDOUT: 'unresponsive',
  EMFILE: 'overloaded',
  ENFILE: 'overloaded',
  EADDRNOTAVAIL: 'overloaded',
  UND_ERR_SOCKET: 'unreachable',
  UND_ERR_CLOSED: 'unreachable',
  UND_ERR_DESTROYED: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'unresponsive',
  UND_ERR_HEADERS_TIMEOUT: 'unresponsive',
  UND_ERR_BODY_TIMEOUT: 'unresponsive',
  // The peer does not speak HTTP.
  HPE_: 'unreachable',
  // Another process of this service has already classified it.
  SERVICE_UNAVAILABLE: 'unreachable',
};

const SQLSTATE_CLASS_LENGTH = 2;
const PARSER_ERROR = /^HPE_/;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Messages that drivers send without a code. */
const SENTENCES: readonly (readonly [RegExp, UnavailableState])[] = [
  [
    /^timeout exceeded when trying to connect$|^timeout expired$|due to connection timeout$|^Query read timeout$/,
    'unresponsive',
  ],
  [
    /^Connection terminated|^Client has encountered a connection error|^Client was closed and is not queryable$|^Received unexpected \w+ message from backend/,
    'unreachable',
  ],
];

/** Some errors wrap others: errors of the ORM and of GraphQL, and the error for several addresses tried at once. */
const DEPTH_MAX = 6;

/** `null`: not known to be an outage. */
export function unavailability(error: unknown, depth = 0): Unavailability | null {
  if (typeof error !== 'object' || error === null || depth > DEPTH_MAX) return null;
  const { code, message, name, syscall, cause, originalError, errors } = error as ErrorLike;
  return (
    byCode(code) ??
    // A missing or inaccessible Unix socket, or any other failure to connect.
    (syscall === 'connect' ? { state: 'unreachable', cause: code ?? 'connect' } : null) ??
    // The peer does not speak HTTP, and undici's parser uses many codes for that.
    (name === 'HTTPParserError' ? { state: 'unreachable', cause: name } : null) ??
    (name === 'TimeoutError' ? { state: 'unresponsive', cause: name } : null) ??
    bySentence(message) ??
    unavailability(originalError, depth + 1) ??
    unavailability(cause, depth + 1) ??
    (Array.isArray(errors) ? unavailability(errors[0], depth + 1) : null)
  );
}

interface ErrorLike {
  readonly code?: string;
  readonly message?: string;
  readonly name?: string;
  readonly syscall?: string;
  readonly cause?: unknown;
  readonly originalError?: unknown;
  readonly errors?: unknown;
}

function byCode(code: unknown): Unavailability | null {
  if (typeof code !== 'string') return null;
  const group = PARSER_ERROR.test(code) ? 'HPE_' : SQLSTATE.test(code) ? code.slice(0, SQLSTATE_CLASS_LENGTH) : '';
  const state = Object.hasOwn(STATES, code) ? STATES[code] : STATES[group];
  return state === undefined ? null : { state, cause: code };
}

function bySentence(message: unknown): Unavailability | null {
  if (typeof message !== 'string') return null;
  const state = SENTENCES.find(([sentence]) => sentence.test(message))?.[1];
  return state === undefined ? null : { state, cause: message };
}
