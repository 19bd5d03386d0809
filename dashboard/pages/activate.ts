/**
 * `/activate`: connects a device (RFC 8628). Opening the link changes nothing; entering the code claims it; the
 * decision is a separate step.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { ERROR_TABLE, type KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql, type GraphqlDocument } from '#schema/graphql.ts';
import { describeScopes } from '../figures/describe-scopes.ts';
import { formatInstant } from '../figures/instant.ts';
import { withSession, type SignedIn } from '../http/with-session.ts';
import { csrfField, field, queryOf } from '../http/form.ts';
import { html } from '../shell/html.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sayRetryAfter } from '../http/retry-after.ts';
import { sendPage } from '../http/send-page.ts';
import { signInAgain } from '../http/sign-in-again.ts';
import { cardPage } from '../shell/shell.ts';
import type { Dependencies } from '../http/dependencies.ts';

const FIELDS = 'id machineName clientName userCode address startedAt scopes lifetimeDays decision';
const CLAIM = graphql(
  `mutation ClaimDeviceLogin($userCode: String!) { outcome: deviceLoginClaim(input: { userCode: $userCode }) { deviceLogin { ${FIELDS} } userErrors { message code } } }`,
);
const APPROVE = graphql(
  `mutation ApproveDeviceLogin($id: ID!) { outcome: deviceLoginApprove(input: { id: $id }) { deviceLogin { ${FIELDS} } userErrors { message code } } }`,
);
const DENY = graphql(
  `mutation DenyDeviceLogin($id: ID!) { outcome: deviceLoginDeny(input: { id: $id }) { deviceLogin { ${FIELDS} } userErrors { message code } } }`,
);

type DeviceLogin = NonNullable<DataOf<'ClaimDeviceLogin'>['outcome']['deviceLogin']>;

export function activatePages(pages: FastifyInstance, dependencies: Dependencies): void {
  const ask = <Variables extends object>(
    document: GraphqlDocument<{ outcome: { deviceLogin: DeviceLogin | null } }, Variables>,
    variables: NoInfer<Variables>,
    { principal }: SignedIn,
  ) => outcomeOf(askGateway(dependencies.gateway, document, variables, principal));

  pages.get(
    '/activate',
    withSession(dependencies, async (signedIn) =>
      renderEntry(signedIn, queryOf(signedIn.request).get('user_code') ?? '', null),
    ),
  );

  pages.post(
    '/activate',
    withSession(dependencies, async (signedIn) => {
      const userCode = field(signedIn.form, 'user_code');
      const { value, error } = await ask(CLAIM, { userCode }, signedIn);
      return error ? renderEntry(signedIn, userCode, error) : renderConfirmation(signedIn, value.outcome.deviceLogin!);
    }),
  );

  pages.post(
    '/activate/decision',
    withSession(dependencies, async (signedIn) => {
      const isApproved = field(signedIn.form, 'decision') === 'approve';
      const { value, error } = await ask(isApproved ? APPROVE : DENY, { id: field(signedIn.form, 'id') }, signedIn);
      return error
        ? renderEntry(signedIn, field(signedIn.form, 'user_code'), error)
        : renderEnd(signedIn, value.outcome.deviceLogin!, isApproved);
    }),
  );
}

function renderEntry({ reply, csrf, principal }: SignedIn, userCode: string, error: KnownError | null): FastifyReply {
  if (error) sayRetryAfter(reply, error);
  const body = html`
<h1>Connect a device</h1>
${signInAgain(error, `/activate?${new URLSearchParams({ user_code: userCode }).toString()}`)}
<p class="muted">Enter the code shown on the device. You are signed in as ${principal.credentialName}.</p>
<form method="post" action="/activate" class="stack">
  ${csrfField(csrf)}
  <label>Code <input class="code" name="user_code" value="${userCode}" placeholder="XXXX-XXXX" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="20" required autofocus${error !== null && html` aria-invalid="true" aria-describedby="error"`}></label>
  <button>Continue</button>
</form>`;
  return sendPage(
    reply,
    cardPage({ title: 'Connect a device', body, error: error?.message }),
    error ? ERROR_TABLE[error.code].status : 200,
  );
}

function renderConfirmation(
  { reply, csrf, principal }: SignedIn,
  { id, machineName, clientName, userCode, address, startedAt, scopes, lifetimeDays }: DeviceLogin,
): FastifyReply {
  const body = html`
<h1>Connect <em>${machineName}</em>?</h1>
<p>The program <strong>${clientName}</strong> on <strong>${machineName}</strong> requests a live key for your organization, on behalf of ${principal.credentialName}.</p>
<p>Requested on ${formatInstant(startedAt)}${address !== null && html` from <code>${address}</code>`}.${userCode !== null && html` The device must show <strong><code>${userCode}</code></strong>.`}</p>
${describeScopes(scopes, lifetimeDays)}
<p class="warning">Approve only if you just started this yourself on a device that shows this code.</p>
<form method="post" action="/activate/decision" class="decision">
  ${csrfField(csrf)}<input type="hidden" name="id" value="${id}"><input type="hidden" name="user_code" value="${userCode ?? ''}">
  <button name="decision" value="approve">Approve</button>
  <button name="decision" value="deny" class="secondary">Deny</button>
</form>`;
  return sendPage(reply, cardPage({ title: 'Connect a device', body }));
}

function renderEnd({ reply }: SignedIn, { machineName }: DeviceLogin, isApproved: boolean): FastifyReply {
  const title = isApproved ? 'Device connected' : 'Device refused';
  const body = html`
<h1>${title}</h1>
<p role="status">${isApproved ? html`<strong>${machineName}</strong> receives its key in a few seconds. You can close this page.` : html`<strong>${machineName}</strong> receives no key. You can close this page.`}</p>
<p><a href="/api-keys">View API keys</a></p>`;
  return sendPage(reply, cardPage({ title, body }));
}
