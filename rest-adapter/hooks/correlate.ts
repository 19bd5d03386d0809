/** Gives every request an id that stands in its answer, its errors and the logs. */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { randomUuid } from '../../platform/random.ts';

const SAFE = /^[A-Za-z0-9._:-]{1,128}$/;

declare module 'fastify' {
  interface FastifyRequest {
    correlationId: string;
  }
}

export function correlate(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  const sent = request.headers['x-correlation-id'];
  request.correlationId = typeof sent === 'string' && SAFE.test(sent) ? sent : randomUuid();
  reply.header('X-Correlation-ID', request.correlationId);
  done();
}
