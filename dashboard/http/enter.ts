/** Starts a session: sets its cookie, ends the previous session, and redirects to the requested page. */
import type { FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { SESSION_COOKIE } from '#schema/session-cookie.ts';
import { cookieOf, keepSession } from './cookies.ts';
import { graphql } from '#schema/graphql.ts';
import type { Visit } from './with-visit.ts';
import { html } from '../shell/html.ts';
import { sendPage } from './send-page.ts';
import { forwardingPage } from '../shell/shell.ts';
import type { Dependencies } from './dependencies.ts';

export async function enter(
  { request, reply }: Visit,
  { gateway, isSecure }: Dependencies,
  session: { token: string; expiresAt: string },
  next: string,
): Promise<FastifyReply> {
  const old = cookieOf(request, isSecure, SESSION_COOKIE);
  const principal =
    old === undefined ? null : await gateway.authenticate({ kind: 'session', token: old }, request.correlationId);
  if (principal)
    await askGateway(
      gateway,
      graphql('mutation SignOut { currentSessionEnd { hasEnded userErrors { message code } } }'),
      {},
      principal,
    );
  keepSession(reply, isSecure, session);
  // An authorization request may redirect to its client at once. Chromium applies this form's form-action to such a
  // redirect.
  if (next.startsWith('/oauth/'))
    return sendPage(
      reply,
      forwardingPage('Signed in', next, html`<h1>You are signed in</h1><p><a href="${next}">Continue</a></p>`),
    );
  return reply.redirect(next, 303);
}
