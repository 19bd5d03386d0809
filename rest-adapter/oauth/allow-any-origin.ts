/**
 * Programs in a browser may register, ask for tokens and read where to do so (CORS). Any origin may: these endpoints look
 * at no cookie, so a page learns nothing that the same request from anywhere else would not give it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { DAY_SECONDS } from '../../kernel/time/duration.ts';

export function allowAnyOrigin(_request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  reply.header('Access-Control-Allow-Origin', '*');
  done();
}

/** Answers the question that a browser asks before a request with a header or a content type of its own. */
export function answerPreflight(app: FastifyInstance, path: string, method: 'GET' | 'POST'): void {
  app.options(path, { onRequest: allowAnyOrigin }, (_request, reply) =>
    reply
      .code(204)
      .headers({
        'Access-Control-Allow-Methods': method,
        'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version, X-Correlation-ID',
        'Access-Control-Max-Age': String(DAY_SECONDS),
      })
      .send(),
  );
}
