/** Responds to a request that is not valid HTTP: it has no URL yet, so no route and no hook sees it. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { correlationIdOf } from '#platform/correlation-id.ts';
import { KnownError } from '#kernel/errors.ts';
import { envelope } from './answer-error.ts';

const REASONS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large'],
};
const UNREADABLE = [400, 'The request is not valid HTTP'] as const;

export function answerUnreadable(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, message] = REASONS[error.code ?? ''] ?? UNREADABLE;
  const correlationId = correlationIdOf(undefined);
  const known = new KnownError('VALIDATION_ERROR', message);
  const body = JSON.stringify(envelope(known, { correlationId, method: '', path: '' }));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Correlation-ID: ${correlationId}`,
    'Connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(error);
}
