/** Refuses a key without the endpoint's scope before it is charged. */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { KnownError } from '#kernel/errors.ts';
import { missingGrant } from '#schema/scopes-of-field.ts';
import type { Scope } from '#schema/scopes.ts';

/** `other` is accepted instead of `scope`. */
export function requireScope(
  scope: Scope,
  other: Scope = scope,
): (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void {
  const needs = scope === other ? [scope] : [scope, other];
  return (request, _reply, done) => {
    const missing = missingGrant(request.principal.grants, needs);
    done(missing ? new KnownError('FORBIDDEN', missing) : undefined);
  };
}
