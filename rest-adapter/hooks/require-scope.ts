/** Refuses a key without the endpoint's scope before it is charged. */
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { KnownError } from '#schema/errors.ts';
import { missingGrant } from '#schema/scopes-of-field.ts';
import type { Scope } from '#schema/scopes.ts';

export function requireScope(
  scope: Scope,
): (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => void {
  return (request, _reply, done) => {
    const missing = missingGrant(request.principal.grants, [scope]);
    done(missing ? new KnownError('FORBIDDEN', missing) : undefined);
  };
}
