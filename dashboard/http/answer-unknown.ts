/** No page and no endpoint has this address: a page for people, JSON for programs. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { KnownError } from '../../schema/errors.ts';
import { answerFailure } from './answer-failure.ts';

export function answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.accept?.includes('text/html')) return answerFailure(new KnownError('NOT_FOUND', 'There is nothing at this address.'), request, reply);
  return reply.code(404).send({ error: 'not_found', message: `There is no ${request.method} ${request.url.split('?', 1)[0]}` });
}
