/**
 * The error table: every error code of the service, its HTTP status, and what the caller can do. Answers of `/v1` contain
 * these texts, so they do not change.
 */

export const ERROR_TABLE = {
  VALIDATION_ERROR: { status: 400, retryable: false, userMessage: 'Check the request: something in it is not valid.' },
  UNAUTHORIZED: {
    status: 401,
    retryable: false,
    userMessage: 'Check the credential: it is missing, wrong, revoked or expired.',
  },
  PAYMENT_REQUIRED: {
    status: 402,
    retryable: false,
    userMessage: 'The event credits are used up. Buy an event pack or move to a larger plan.',
  },
  FORBIDDEN: {
    status: 403,
    retryable: false,
    userMessage: 'This credential may not do that. Use one with the scope that the message names.',
  },
  NOT_FOUND: { status: 404, retryable: false, userMessage: 'What was asked for does not exist.' },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false, userMessage: 'Send a smaller body.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false, userMessage: 'Send the body as application/json.' },
  UNPROCESSABLE_ENTITY: { status: 422, retryable: false, userMessage: 'Ask for a shorter range.' },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    retryable: true,
    userMessage: 'Too many requests. Wait for the time that Retry-After gives.',
  },
  SECRET_UNREADABLE: {
    status: 503,
    retryable: false,
    userMessage: 'What is stored for this cannot be opened. Tell the operator of the service.',
  },
  INTERNAL_SERVER_ERROR: {
    status: 500,
    retryable: true,
    userMessage: 'Something went wrong on our side. Try again; if it stays, tell support the correlation id.',
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    userMessage:
      'A part of the service is away for the moment. Send the same request again after the time that Retry-After gives.',
  },
} as const satisfies Record<string, { status: number; retryable: boolean; userMessage: string }>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** An error whose message may be shown to the caller. Anything else that is thrown is an internal error. */
export class KnownError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'KnownError';
    this.code = code;
    this.details = details;
  }
}

/** Throws an error with a code of the table and a message that tells the caller what to do. */
export function fail(code: ErrorCode, message: string, details?: Readonly<Record<string, unknown>>): never {
  throw new KnownError(code, message, details);
}

/** Unavailable dependencies usually return within seconds, after a restart or failover. */
const UNAVAILABLE_RETRY_SECONDS = 5;

/** Seconds for the header `Retry-After`, or `null` if the error does not specify a time. */
export function retryAfterSeconds({ code, details }: Pick<KnownError, 'code' | 'details'>): number | null {
  const seconds = details['retryAfterSeconds'];
  if (typeof seconds === 'number') return seconds;
  return code === 'SERVICE_UNAVAILABLE' ? UNAVAILABLE_RETRY_SECONDS : null;
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(ERROR_TABLE, value);
}
