/** Answers hold an organization's figures: no cache keeps them, and no browser guesses at their type. */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

export function neverStore(_request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  reply.headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  done();
}
