/** Gives every request a correlation id, which is in its response, its errors and the logs. */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { correlationIdOf } from '#platform/correlation-id.ts';

declare module 'fastify' {
  interface FastifyRequest {
    correlationId: string;
  }
}

export function correlate(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  request.correlationId = correlationIdOf(request.headers['x-correlation-id']);
  reply.header('X-Correlation-ID', request.correlationId);
  done();
}
