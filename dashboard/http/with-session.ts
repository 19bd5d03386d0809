/** Pages for signed-in people; everybody else is redirected to the sign-in and then back. */
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import type { Principal } from '#platform/principal.ts';
import { SESSION_COOKIE } from '#schema/session-cookie.ts';
import { fail } from '#kernel/errors.ts';
import { csrfToken, isCsrfToken } from './csrf-token.ts';
import { CSRF_FIELD, field, formOf } from './form.ts';
import { signInPath } from './sign-in-path.ts';
import { cookieOf, keepSession } from './cookies.ts';
import { requireAccess } from './page-access.ts';
import type { Dependencies } from './dependencies.ts';

export interface SignedIn {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly principal: Principal;
  readonly csrf: string;
  readonly form: URLSearchParams;
}

export function withSession(
  { gateway, csrfKeys, isSecure }: Dependencies,
  answer: (signedIn: SignedIn) => Promise<FastifyReply>,
): RouteHandlerMethod {
  return async (request, reply) => {
    const token = cookieOf(request, isSecure, SESSION_COOKIE);
    const principal =
      token === undefined ? null : await gateway.authenticate({ kind: 'session', token }, request.correlationId);
    if (token === undefined || principal?.kind !== 'session')
      return reply.redirect(signInPath(request.method === 'GET' ? request.url : '/'), 303);
    if (principal.grants.includes(ENROLLMENT) && !ENROLLMENT_PATHS.some((path) => isWithin(request.url, path)))
      return reply.redirect('/second-factor', 303);
    requireAccess(principal, request.url);
    const form = formOf(request);
    if (request.method === 'POST' && !isCsrfToken(csrfKeys, bindingOf(token), field(form, CSRF_FIELD))) {
      fail('FORBIDDEN', 'This form has expired. Go back, reload the page and submit it again.');
    }
    return answer({ request, reply, principal, form, csrf: csrfToken(csrfKeys, bindingOf(token)) });
  };
}

/**
 * The same person after a step-up: the session continues with a new token, which the next page's forms are bound to.
 */
export function renewed(
  signedIn: SignedIn,
  { csrfKeys, isSecure }: Dependencies,
  session: { token: string; expiresAt: string },
): SignedIn {
  keepSession(signedIn.reply, isSecure, session);
  return { ...signedIn, csrf: csrfToken(csrfKeys, bindingOf(session.token)) };
}

/** Grant of a session whose account user lacks the second factor that the organization requires. */
export const ENROLLMENT = 'enrollment';
/** Pages for setting up a second factor, and the sign-out. */
const ENROLLMENT_PATHS = ['/second-factor', '/passkeys', '/sign-out'];

function isWithin(url: string, path: string): boolean {
  const here = url.split('?', 1)[0] ?? '';
  return here === path || here.startsWith(`${path}/`);
}

function bindingOf(token: string): string {
  return `session.${token}`;
}
