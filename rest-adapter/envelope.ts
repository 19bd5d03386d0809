/** The standard error envelope of the contract: the only shape in which an error leaves `/v1`, but for a bad signature. */
import { now } from '../platform/clock.ts';
import { ERROR_TABLE, type KnownError } from '../schema/errors.ts';

export interface EnvelopeRequest {
  readonly correlationId: string;
  readonly method: string;
  /** Without the query string: it may hold what nobody should copy into a ticket. */
  readonly path: string;
}

export function envelope({ code, message, details }: Pick<KnownError, 'code' | 'message' | 'details'>, request: EnvelopeRequest) {
  const { status, retryable, userMessage } = ERROR_TABLE[code];
  const supportMessage = status >= 500 ? { supportMessage: `Tell support the correlation id ${request.correlationId}.` } : {};
  return {
    success: false,
    error: {
      code,
      message,
      correlationId: request.correlationId,
      referenceCode: request.correlationId,
      details: { retryable, userMessage, ...supportMessage, ...details },
    },
    meta: { timestamp: now().toISOString(), method: request.method, path: request.path, requestId: request.correlationId },
  };
}
