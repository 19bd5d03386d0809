/**
 * CORS: browser programs of any origin may register, request tokens and read the metadata. These endpoints use no
 * cookies, so a page learns nothing that the same request from elsewhere would not return.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { DAY_SECONDS } from '#kernel/time/duration.ts';

export function allowAnyOrigin(_request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  reply.header('Access-Control-Allow-Origin', '*');
  done();
}

/** Answers a preflight, which browsers send before a request with a custom header or content type. */
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
