/**
 * `/oauth/authorize`: an application requests a key. Client and redirect URI are checked first; a failure of these is
 * shown as a page.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { describeScopes } from '../figures/describe-scopes.ts';
import { withSession, type SignedIn } from '../http/with-session.ts';
import { csrfField, field, queryOf } from '../http/form.ts';
import { html } from '../shell/html.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { safePath } from '../http/safe-path.ts';
import { sendPage } from '../http/send-page.ts';
import { signInPath } from '../http/sign-in-path.ts';
import { cardPage, forwardingPage } from '../shell/shell.ts';
import type { Dependencies } from '../http/dependencies.ts';

const START = graphql(`mutation StartAuthorization($parameters: [OauthParameter!]!) {
  authorizationStart(input: { parameters: $parameters }) { authorization {
    pageError
    redirectTo
    returnTo
    request { id clientName redirectHost scopes lifetimeDays }
  } userErrors { message code } }
}`);
const APPROVE = graphql(
  'mutation ApproveAuthorization($id: ID!) { outcome: authorizationApprove(input: { id: $id }) { decision { redirectTo } userErrors { message code } } }',
);
const DENY = graphql(
  'mutation DenyAuthorization($id: ID!) { outcome: authorizationDeny(input: { id: $id }) { decision { redirectTo } userErrors { message code } } }',
);

type AuthorizationRequest = NonNullable<
  NonNullable<DataOf<'StartAuthorization'>['authorizationStart']['authorization']>['request']
>;

export function authorizePages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    '/oauth/authorize',
    withSession(dependencies, async (signedIn) => {
      const parameters = [...queryOf(signedIn.request)].map(([name, value]) => ({ name, value }));
      const { value, error } = await outcomeOf(askGateway(gateway, START, { parameters }, signedIn.principal));
      if (error?.details['actionHint'] === 'SIGN_IN_AGAIN')
        return signedIn.reply.redirect(signInPath(signedIn.request.url, true), 303);
      if (error) throw error;
      const { pageError, redirectTo, returnTo, request } = value.authorizationStart.authorization!;
      if (request) return renderConfirmation(signedIn, request);
      return redirectTo === null
        ? renderError(signedIn, pageError ?? 'Invalid request', returnTo)
        : signedIn.reply.redirect(redirectTo, 303);
    }),
  );

  pages.post(
    '/oauth/authorize',
    withSession(dependencies, async ({ reply, form, principal }) => {
      const isApproved = field(form, 'decision') === 'approve';
      const { value, error } = await outcomeOf(
        askGateway(gateway, isApproved ? APPROVE : DENY, { id: field(form, 'id') }, principal),
      );
      if (error?.details['actionHint'] === 'SIGN_IN_AGAIN')
        return reply.redirect(signInPath(safePath(field(form, 'request')), true), 303);
      if (error) throw error;
      const { redirectTo } = value.outcome.decision!;
      const title = isApproved ? 'Approved' : 'Denied';
      // Not a redirect: Chromium applies form-action to all redirects of a form submission.
      return sendPage(
        reply,
        forwardingPage(
          title,
          redirectTo,
          html`
<h1>${title}</h1>
<p role="status">Going back to the application…</p>
<p><a href="${redirectTo}">Continue if nothing happens</a></p>`,
        ),
      );
    }),
  );
}

function renderConfirmation(
  { reply, csrf, principal, request }: SignedIn,
  { id, clientName, redirectHost, scopes, lifetimeDays }: AuthorizationRequest,
): FastifyReply {
  const body = html`
<h1>Connect <em>${clientName}</em>?</h1>
<p>This application requests a live key for your organization, on behalf of ${principal.credentialName}. The application chose its own name. You will be sent back to <strong>${redirectHost}</strong>.</p>
${describeScopes(scopes, lifetimeDays)}
<form method="post" action="/oauth/authorize" class="decision">
  ${csrfField(csrf)}<input type="hidden" name="id" value="${id}"><input type="hidden" name="request" value="${request.url}">
  <button name="decision" value="approve">Approve</button>
  <button name="decision" value="deny" class="secondary">Deny</button>
</form>`;
  return sendPage(reply, cardPage({ title: `Connect ${clientName}`, body }));
}

function renderError({ reply }: SignedIn, error: string, returnTo: string | null): FastifyReply {
  const body = html`
<h1>This link does not work</h1>
<p role="alert">${error}.</p>
<p class="muted">Nothing was approved. Start again in the application.</p>
${returnTo !== null && html`<p><a href="${returnTo}">Go back to <strong>${new URL(returnTo).host}</strong></a>, if you recognize it</p>`}`;
  return sendPage(reply, cardPage({ title: 'This link does not work', body }), 400);
}
