/** Pages before sign-in: their forms are bound to a visit cookie, since there is no session yet. */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { type Principal, servicePrincipal } from '#platform/principal.ts';
import { randomBytes } from '#platform/random.ts';
import { fail } from '#kernel/errors.ts';
import { cookieOf, keepVisit, VISIT_COOKIE } from './cookies.ts';
import { csrfToken, isCsrfToken } from './csrf-token.ts';
import { CSRF_FIELD, field, formOf } from './form.ts';
import type { Dependencies } from './dependencies.ts';

export interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The principal of our own pages, for requests that are reserved for them. */
  readonly principal: Principal;
  readonly csrf: string;
  readonly form: URLSearchParams;
  /** Address and browser of the caller, for rate limits and the session list. */
  readonly device: { readonly address: string; readonly userAgent: string };
}

export function withVisit(
  { csrfKeys, isSecure }: Dependencies,
  answer: (visit: Visit) => Promise<FastifyReply>,
): RouteHandlerMethod {
  return async (request, reply) => {
    const form = formOf(request);
    const known = cookieOf(request, isSecure, VISIT_COOKIE);
    if (
      request.method === 'POST' &&
      (known === undefined || !isCsrfToken(csrfKeys, bindingOf(known), field(form, CSRF_FIELD)))
    ) {
      fail('FORBIDDEN', 'This form has expired. Go back, reload the page and submit it again.');
    }
    const visit = known ?? randomBytes(32).toString('base64url');
    if (known === undefined) keepVisit(reply, isSecure, visit);
    return answer({
      request,
      reply,
      form,
      principal: servicePrincipal('dashboard', request.correlationId),
      csrf: csrfToken(csrfKeys, bindingOf(visit)),
      device: { address: request.ip, userAgent: request.headers['user-agent'] ?? '' },
    });
  };
}

function bindingOf(visit: string): string {
  return `visit.${visit}`;
}
