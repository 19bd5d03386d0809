/** Reads a plugin's request bodies with `readBody`. A client that is still sending also receives the error response. */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type BodyRules, readBody } from './read-body.ts';

/**
 * An error of the body parser. Fastify closes the connection if a parser fails, and a client that is still sending
 * would not see the reason. So a hook throws the error instead.
 */
class UnreadBody {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/**
 * `decode` converts the sent bytes to `request.body`; by default, the body is the bytes. Replaces all other parsers of
 * the plugin.
 */
export function parseBodies(
  plugin: FastifyInstance,
  types: string | string[],
  rulesOf: (request: FastifyRequest) => BodyRules,
  decode: (sent: Buffer, request: FastifyRequest) => unknown = (sent) => sent,
): void {
  plugin.removeAllContentTypeParsers();
  plugin.addContentTypeParser(types, async (request: FastifyRequest, payload: Readable) => {
    try {
      return await decode(await readBody(request.headers, payload, rulesOf(request)), request);
    } catch (error) {
      return new UnreadBody(error);
    }
  });
  plugin.addHook('preValidation', async (request, reply) => {
    if (!(request.body instanceof UnreadBody)) return;
    // Keeps the connection open, so that the rest of the body is read and discarded.
    reply.raw.shouldKeepAlive = true;
    throw request.body.error;
  });
}
