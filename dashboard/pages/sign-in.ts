/** `/sign-in`: the first step. An unknown address and a wrong password get the same response. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { SESSION_COOKIE } from '#schema/session-cookie.ts';
import { ERROR_TABLE } from '#kernel/errors.ts';
import { cookieOf, keepAttempt } from '../http/cookies.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { enter } from '../http/enter.ts';
import { withVisit, type Visit } from '../http/with-visit.ts';
import { csrfField, field, queryOf, rawField } from '../http/form.ts';
import { html } from '../shell/html.ts';
import { noticeOf } from '../shell/notices.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sayRetryAfter } from '../http/retry-after.ts';
import { safePath } from '../http/safe-path.ts';
import { sendPage } from '../http/send-page.ts';
import { cardPage } from '../shell/shell.ts';
import type { Dependencies } from '../http/dependencies.ts';

const SIGN_IN =
  internalGraphql(`mutation SignIn($email: String!, $password: String!, $address: String!, $userAgent: String!) {
  signIn(email: $email, password: $password, address: $address, userAgent: $userAgent) {
    session { token expiresAt }
    attempt { token expiresAt asksForPasskey }
  }
}`);

export function signInPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway, isSecure, hasPasskeys } = dependencies;

  pages.get(
    '/sign-in',
    withVisit(dependencies, async (visit) => {
      const { request, reply } = visit;
      const query = queryOf(request);
      const next = safePath(query.get('next'));
      const token = cookieOf(request, isSecure, SESSION_COOKIE);
      const isOpen =
        token !== undefined &&
        query.get('again') === null &&
        (await gateway.authenticate({ kind: 'session', token }, request.correlationId)) !== null;
      return isOpen
        ? reply.redirect(next, 303)
        : render(visit, { next, email: '', error: null, status: 200 }, hasPasskeys);
    }),
  );

  pages.post(
    '/sign-in',
    withVisit(dependencies, async (visit) => {
      const { form, principal, device, reply } = visit;
      const next = safePath(field(form, 'next'));
      const email = field(form, 'email');
      const variables = { email, password: rawField(form, 'password'), ...device };
      const { value, error } = await outcomeOf(askGateway(gateway, SIGN_IN, variables, principal));
      if (error) {
        sayRetryAfter(reply, error);
        return render(
          visit,
          { next, email, error: error.message, status: ERROR_TABLE[error.code].status },
          hasPasskeys,
        );
      }
      const { session, attempt } = value.signIn;
      if (session) return enter(visit, dependencies, session, next);
      if (attempt) keepAttempt(reply, isSecure, attempt);
      const step = attempt?.asksForPasskey === true ? 'passkey-step' : 'second-step';
      return reply.redirect(`/sign-in/${step}?${new URLSearchParams({ next }).toString()}`, 303);
    }),
  );
}

function render(
  { request, reply, csrf }: Visit,
  { next, email, error, status }: { next: string; email: string; error: string | null; status: number },
  hasPasskeys: boolean,
): FastifyReply {
  const body = html`
<h1>Sign in</h1>
${next.startsWith('/activate') && html`<p class="muted">Sign in to connect your device.</p>`}
${next.startsWith('/oauth/') && html`<p class="muted">Sign in to decide what the application may access.</p>`}
<form method="post" action="/sign-in" class="stack">
  ${csrfField(csrf)}<input type="hidden" name="next" value="${next}">
  <label>E-mail address
    <input type="email" name="email" value="${email}" autocomplete="username" required${error === null && html` autofocus`}></label>
  <label>Password
    <input type="password" name="password" autocomplete="current-password" required${error !== null && html` autofocus aria-invalid="true" aria-describedby="error"`}></label>
  <button>Sign in</button>
</form>
${
  hasPasskeys &&
  html`
<form method="post" action="/sign-in/passkey" class="stack">
  ${csrfField(csrf)}<input type="hidden" name="next" value="${next}">
  <button class="secondary">Sign in with a passkey</button>
</form>`
}`;
  return sendPage(
    reply,
    cardPage({ title: 'Sign in', body, error }, error === null ? noticeOf(queryOf(request)) : null),
    status,
  );
}
