/** Answers of the telemetry doors, in the type of the request: protobuf or JSON (OTLP/HTTP, "Response" and "Failures"). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_TABLE, KnownError, retryAfterSeconds } from '../../schema/errors.ts';
import { knownError } from '../answer-error.ts';
import type { Signal } from './decode-json.ts';

const PROTOBUF = 'application/x-protobuf';
/** A sender of telemetry tries again after 429, 502, 503 and 504 alone: nothing that may pass by itself is answered otherwise. */
const RETRY_SECONDS = 5;

export interface PartialSuccess {
  readonly rejected: number;
  readonly message: string;
}

export function isProtobuf(request: FastifyRequest): boolean {
  return (request.headers['content-type'] ?? '').toLowerCase().startsWith(PROTOBUF);
}

/** `partial` null: everything was taken. */
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

/** An error as `Status`. What the service itself does wrong is 503: the sender keeps what it has and sends it again. */
export async function answerStatus(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const known = knownError(error);
  if (!known) request.log.error({ err: error, correlationId: request.correlationId }, 'Unexpected error');
  const isInternal = known === null || known.code === 'INTERNAL_SERVER_ERROR';
  const { code, message, details } = isInternal
    ? new KnownError('SERVICE_UNAVAILABLE', 'Something went wrong on our side: send it again')
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

/** Its library is loaded with the first answer of this form. */
async function encoded(name: 'ExportResponse' | 'Status', message: object): Promise<Buffer> {
  const { otlpMessage } = await import('./otlp-messages.ts');
  return Buffer.from(otlpMessage(name).encode(message).finish());
}

const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Of `google.rpc.Code`. */
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
