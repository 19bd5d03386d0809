/** Reads a plugin's bodies with `readBody`, and delivers a refusal even while the client is still sending. */
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type BodyRules, readBody } from './read-body.ts';

/** Fastify closes the connection when a parser fails, and a client that is sending then never reads why. A hook fails instead. */
class UnreadBody {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}

/** `decode` makes `request.body` of what was sent; without it, it is the bytes. Replaces all other parsers of the plugin. */
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
    // Reads and discards what is still being sent.
    reply.raw.shouldKeepAlive = true;
    throw request.body.error;
  });
}
