/**
 * `/sign-in/second-step` and `/sign-in/recovery-code`: the second step of a sign-in, with an app or a recovery code.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { ATTEMPT_COOKIE, cookieOf, dropAttempt } from '../http/cookies.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { enter } from '../http/enter.ts';
import { withVisit, type Visit } from '../http/with-visit.ts';
import { csrfField, field, queryOf } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';
import { safePath } from '../http/safe-path.ts';
import { sendPage } from '../http/send-page.ts';
import { cardPage } from '../shell/shell.ts';
import { signInPath } from '../http/sign-in-path.ts';
import type { Dependencies } from '../http/dependencies.ts';

const COMPLETE =
  internalGraphql(`mutation CompleteSignIn($attempt: String!, $code: String!, $address: String!, $userAgent: String!) {
  completeSignIn(attempt: $attempt, code: $code, address: $address, userAgent: $userAgent) {
    session { token expiresAt }
    guessesLeft
  }
}`);

interface Step {
  readonly path: string;
  readonly title: string;
  readonly explanation: string;
  readonly field: (isWrong: Html | false) => Html;
  /** The alternative method. */
  readonly other: { readonly path: string; readonly label: string };
}

const BY_APP: Step = {
  path: '/sign-in/second-step',
  title: 'Enter the code from your app',
  explanation: 'Open your authenticator app and enter the six digits for this account.',
  field: (isWrong) => html`<label>Six-digit code
    <input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9 ]*" maxlength="9" required autofocus${isWrong}></label>`,
  other: { path: '/sign-in/recovery-code', label: 'Use a recovery code instead' },
};

const BY_PAPER: Step = {
  path: '/sign-in/recovery-code',
  title: 'Enter a recovery code',
  explanation: 'Each recovery code works once. Case and hyphens do not matter.',
  field: (isWrong) => html`<label>Recovery code
    <input class="code" name="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="40" required autofocus${isWrong}></label>`,
  other: { path: '/sign-in/second-step', label: 'Use your authenticator app instead' },
};

export function secondStepPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway, isSecure } = dependencies;
  for (const step of [BY_APP, BY_PAPER]) {
    pages.get(
      step.path,
      withVisit(dependencies, async (visit) => {
        const next = safePath(queryOf(visit.request).get('next'));
        return cookieOf(visit.request, isSecure, ATTEMPT_COOKIE) === undefined
          ? visit.reply.redirect(signInPath(next), 303)
          : render(visit, step, next, null);
      }),
    );

    pages.post(
      step.path,
      withVisit(dependencies, async (visit) => {
        const { request, reply, form, principal, device } = visit;
        const next = safePath(field(form, 'next'));
        const attempt = cookieOf(request, isSecure, ATTEMPT_COOKIE);
        if (attempt === undefined) return reply.redirect('/sign-in?done=attempt-void', 303);
        const variables = { attempt, code: field(form, 'code'), ...device };
        const {
          completeSignIn: { session, guessesLeft },
        } = await askGateway(gateway, COMPLETE, variables, principal);
        if (session) return enter(visit, dependencies, session, next);
        if (guessesLeft > 0)
          return render(
            visit,
            step,
            next,
            `This code is wrong or was used before. ${guessesLeft === 1 ? 'One attempt is' : `${guessesLeft} attempts are`} left.`,
          );
        dropAttempt(reply, isSecure);
        return reply.redirect('/sign-in?done=attempt-void', 303);
      }),
    );
  }
}

function render({ reply, csrf }: Visit, step: Step, next: string, error: string | null): FastifyReply {
  const query = next === '/' ? '' : `?${new URLSearchParams({ next }).toString()}`;
  const body = html`
<h1>${step.title}</h1>
<p class="muted">${step.explanation}</p>
<form method="post" action="${step.path}" class="stack">
  ${csrfField(csrf)}<input type="hidden" name="next" value="${next}">
  ${step.field(error !== null && html` aria-invalid="true" aria-describedby="error"`)}
  <button>Sign in</button>
</form>
<p><a href="${step.other.path}${query}">${step.other.label}</a></p>
<p><a href="/sign-in">Start again</a></p>`;
  return sendPage(reply, cardPage({ title: step.title, body, error }), error === null ? 200 : 401);
}
