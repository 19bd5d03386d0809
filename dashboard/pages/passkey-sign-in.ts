/**
 * `/sign-in/passkey` and `/sign-in/passkey-step`: sign-in with only a passkey, or with a passkey after the password.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { ERROR_TABLE } from '#kernel/errors.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { passkeyForm, passkeyResponse } from '../figures/passkey-form.ts';
import { ATTEMPT_COOKIE, cookieOf, dropAttempt } from '../http/cookies.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { enter } from '../http/enter.ts';
import { field, queryOf, rawField } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sayRetryAfter } from '../http/retry-after.ts';
import { safePath } from '../http/safe-path.ts';
import { allowOwnScript } from '../http/security-headers.ts';
import { sendPage } from '../http/send-page.ts';
import { signInPath } from '../http/sign-in-path.ts';
import { withVisit, type Visit } from '../http/with-visit.ts';
import { html, type Html } from '../shell/html.ts';
import { PASSKEY_SCRIPT_PATH } from '../shell/serve-assets.ts';
import { cardPage } from '../shell/shell.ts';

const START = internalGraphql(`mutation StartPasskeySignIn($attempt: String, $address: String!) {
  startPasskeySignIn(attempt: $attempt, address: $address) { options }
}`);
const SIGN_IN = internalGraphql(`mutation SignInWithPasskey($response: JSON!, $address: String!, $userAgent: String!) {
  signInWithPasskey(response: $response, address: $address, userAgent: $userAgent) { token expiresAt }
}`);
const COMPLETE =
  internalGraphql(`mutation CompleteSignInWithPasskey($attempt: String!, $response: JSON!, $address: String!, $userAgent: String!) {
  completeSignInWithPasskey(attempt: $attempt, response: $response, address: $address, userAgent: $userAgent) {
    session { token expiresAt }
    guessesLeft
  }
}`);

const TITLE = 'Use your passkey';

export function passkeySignInPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway, isSecure, appOrigin } = dependencies;

  const render = async (
    visit: Visit,
    { next, attempt, also }: { next: string; attempt?: string; also: Html },
    wrong: string | null = null,
  ): Promise<FastifyReply> => {
    const { principal, csrf, device, reply } = visit;
    const variables = { address: device.address, ...(attempt === undefined ? {} : { attempt }) };
    const { value, error } = await outcomeOf(askGateway(gateway, START, variables, principal));
    if (error?.code === 'UNAUTHORIZED') return reply.redirect('/sign-in?done=attempt-void', 303);
    if (error) sayRetryAfter(reply, error);
    else allowOwnScript(reply);
    const body = html`
<h1>${TITLE}</h1>
<p class="muted">Your device will ask for your fingerprint, face or PIN.</p>
${
  value &&
  passkeyForm({
    action: attempt === undefined ? '/sign-in/passkey/answer' : '/sign-in/passkey-step',
    csrf,
    kind: 'get',
    options: value.startPasskeySignIn.options,
    hidden: { next },
    button: TITLE,
    origin: appOrigin,
  })
}
${also}`;
    return sendPage(
      reply,
      cardPage({
        title: TITLE,
        body,
        error: error?.message ?? wrong,
        script: value === null ? undefined : PASSKEY_SCRIPT_PATH,
      }),
      error ? ERROR_TABLE[error.code].status : wrong === null ? 200 : 401,
    );
  };

  const alone = (next: string) => ({
    next,
    also: html`<p><a href="${signInPath(next)}">Use your password instead</a></p>`,
  });

  pages.post(
    '/sign-in/passkey',
    withVisit(dependencies, async (visit) => render(visit, alone(safePath(field(visit.form, 'next'))))),
  );

  pages.post(
    '/sign-in/passkey/answer',
    withVisit(dependencies, async (visit) => {
      const { form, principal, device } = visit;
      const next = safePath(field(form, 'next'));
      const variables = { response: passkeyResponse(rawField(form, 'response')), ...device };
      const { value, error } = await outcomeOf(askGateway(gateway, SIGN_IN, variables, principal));
      return error
        ? render(visit, alone(next), error.message)
        : enter(visit, dependencies, value.signInWithPasskey, next);
    }),
  );

  const behindPassword = (next: string, attempt: string) => {
    const query = next === '/' ? '' : `?${new URLSearchParams({ next }).toString()}`;
    return {
      next,
      attempt,
      also: html`
<p><a href="/sign-in/second-step${query}">Use your authenticator app instead</a></p>
<p><a href="/sign-in/recovery-code${query}">Use a recovery code instead</a></p>
<p><a href="/sign-in">Start again</a></p>`,
    };
  };

  pages.get(
    '/sign-in/passkey-step',
    withVisit(dependencies, async (visit) => {
      const next = safePath(queryOf(visit.request).get('next'));
      const attempt = cookieOf(visit.request, isSecure, ATTEMPT_COOKIE);
      return attempt === undefined
        ? visit.reply.redirect(signInPath(next), 303)
        : render(visit, behindPassword(next, attempt));
    }),
  );

  pages.post(
    '/sign-in/passkey-step',
    withVisit(dependencies, async (visit) => {
      const { request, reply, form, principal, device } = visit;
      const next = safePath(field(form, 'next'));
      const attempt = cookieOf(request, isSecure, ATTEMPT_COOKIE);
      if (attempt === undefined) return reply.redirect('/sign-in?done=attempt-void', 303);
      const variables = { attempt, response: passkeyResponse(rawField(form, 'response')), ...device };
      const {
        completeSignInWithPasskey: { session, guessesLeft },
      } = await askGateway(gateway, COMPLETE, variables, principal);
      if (session) return enter(visit, dependencies, session, next);
      if (guessesLeft > 0)
        return render(visit, behindPassword(next, attempt), 'This passkey belongs to another account. Try again.');
      dropAttempt(reply, isSecure);
      return reply.redirect('/sign-in?done=attempt-void', 303);
    }),
  );
}
