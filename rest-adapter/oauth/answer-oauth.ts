/** Response of an OAuth endpoint: the graph's response without nulls, or its refusal. */
import type { FastifyReply } from 'fastify';
import { OauthError } from './oauth-error.ts';

/** Throws an `OauthError` if the answer is a refusal. */
export function answerOauth(reply: FastifyReply, status: 200 | 201, answer: unknown): FastifyReply {
  const { error, error_description: description, ...input } = answer as Record<string, unknown>;
  if (typeof error === 'string') throw new OauthError(error, String(description));
  return reply.code(status).send(Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)));
}
