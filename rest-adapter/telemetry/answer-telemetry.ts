/**
 * Responses of the telemetry endpoints, in the request's format: protobuf or JSON (OTLP/HTTP, "Response" and
 * "Failures").
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_TABLE, KnownError, retryAfterSeconds } from '#kernel/errors.ts';
import { knownError } from '../answer-error.ts';
import type { Signal } from './decode-json.ts';

const PROTOBUF = 'application/x-protobuf';
/** Telemetry senders retry only after 429, 502, 503 and 504, so every temporary failure gets one of these. */
const RETRY_SECONDS = 5;

export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

export function isProtobuf(request: FastifyRequest): boolean {
  return (request.headers['content-type'] ?? '').toLowerCase().startsWith(PROTOBUF);
}

/** `partial` is null if everything was accepted. */
export async function answerExport(
  request: FastifyRequest,
  reply: FastifyReply,
  signal: Signal,
  partial: PartialSuccess | null,
): Promise<FastifyReply> {
  if (isProtobuf(request)) {
    const partialSuccess = partial && { rejected: partial.rejected, errorMessage: partial.message };
    const body = await encoded('ExportResponse', partialSuccess === null ? {} : { partialSuccess });
    return reply.type(PROTOBUF).send(body);
  }
  const name = signal === 'traces' ? 'rejectedSpans' : 'rejectedLogRecords';
  const partialSuccess = partial && { [name]: String(partial.rejected), errorMessage: partial.message };
  return reply.type('application/json').send(partialSuccess === null ? {} : { partialSuccess });
}

/** Sends an error as `Status`. Internal errors become 503, so that the sender keeps its data and retries. */
export async function answerStatus(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const known = knownError(error);
  if (!known) request.log.error({ err: error, correlationId: request.correlationId }, 'Unexpected error');
  const isInternal = known === null || known.code === 'INTERNAL_SERVER_ERROR';
  const { code, message, details } = isInternal
    ? new KnownError('SERVICE_UNAVAILABLE', 'Internal error: send the request again')
    : known;
  const { status } = ERROR_TABLE[code];
  const wait = retryAfterSeconds({ code, details });
  if (wait !== null) reply.header('Retry-After', wait);
  else if (RETRYABLE.has(status) && !reply.hasHeader('Retry-After')) reply.header('Retry-After', RETRY_SECONDS);
  const body = { code: GRPC_CODES[status] ?? UNKNOWN, message };
  if (isProtobuf(request))
    return reply
      .code(status)
      .type(PROTOBUF)
      .send(await encoded('Status', body));
  return reply.code(status).type('application/json').send(body);
}

/** The library is loaded with the first response in this format. */
async function encoded(name: 'ExportResponse' | 'Status', message: object): Promise<Buffer> {
  const { otlpMessage } = await import('./otlp-messages.ts');
  return Buffer.from(otlpMessage(name).encode(message).finish());
}

const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Codes of `google.rpc.Code`. */
const GRPC_CODES: Readonly<Record<number, number>> = {
  400: 3,
  401: 16,
  402: 8,
  403: 7,
  404: 5,
  413: 3,
  415: 3,
  429: 8,
  503: 14,
};
const UNKNOWN = 2;
