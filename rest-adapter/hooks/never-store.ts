/** Responses contain an organization's figures: caches must not store them, and browsers must not guess their type. */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

export function neverStore(_request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  reply.headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  done();
}
