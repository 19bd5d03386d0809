/** `/people`: account users and invitations of the organization. For owners and admins. */
import { enumText } from '#kernel/enum-value.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { ERROR_TABLE } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';
import {
  accountBadges,
  listAccountUsers,
  type AccountUsers,
  ownPassword,
  ownPasswordField,
  roleChoices,
  rolesFor,
} from '../figures/account-user.ts';
import { secretBox } from '../figures/api-key.ts';
import { formatDate, formatInstant } from '../figures/instant.ts';
import { withSession, type SignedIn } from '../http/with-session.ts';
import { csrfField, field } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { signInAgain } from '../http/sign-in-again.ts';
import { signInPath } from '../http/sign-in-path.ts';
import type { Dependencies } from '../http/dependencies.ts';

const INVITE = graphql(`mutation InviteAccountUser($email: String!, $role: String!, $ownPassword: String) {
  accountUserInvite(input: { email: $email, role: $role, ownPassword: $ownPassword }) { createdInvitation { url invitation { email expiresAt } } userErrors { message code } }
}`);
const REQUIRE_SECOND_FACTOR = graphql(
  'mutation RequireSecondFactor($required: Boolean!) { organizationRequireSecondFactor(input: { required: $required }) { organization { id } userErrors { message code } } }',
);
const REVOKE = graphql(
  'mutation RevokeInvitation($id: ID!) { invitationRevoke(input: { id: $id }) { invitation { id } userErrors { message code } } }',
);

export function accountUsersPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    '/people',
    withSession(dependencies, async (signedIn) =>
      sendFramed(signedIn, {
        title: 'People',
        body: listBody(signedIn, await listAccountUsers(gateway, signedIn.principal)),
      }),
    ),
  );

  const renderForm = (signedIn: SignedIn, error?: Parameters<typeof signInAgain>[0]): FastifyReply =>
    sendFramed(signedIn, {
      title: 'Invite member',
      error: error?.message,
      body: html`${signInAgain(error, '/people/invite')}${inviteBody(signedIn)}`,
    });

  // Reports missing permission to invite before the form is filled in.
  pages.get(
    '/people/invite',
    withSession(dependencies, async (signedIn) => {
      await listAccountUsers(gateway, signedIn.principal);
      return renderForm(signedIn);
    }),
  );

  pages.post(
    '/people/invite',
    withSession(dependencies, async (signedIn) => {
      const variables = {
        email: field(signedIn.form, 'email'),
        role: field(signedIn.form, 'role'),
        ...ownPassword(signedIn.form),
      };
      const { value, error } = await outcomeOf(askGateway(gateway, INVITE, variables, signedIn.principal));
      if (error) return renderForm(signedIn, error);
      const { url, invitation } = value.accountUserInvite.createdInvitation!;
      const body = html`
<h1>The invitation</h1>
<div class="panel">
  <p>Send this link only to <strong>${invitation.email}</strong>: anyone who opens it can set the password. It works once, until ${formatInstant(invitation.expiresAt)}, and is shown only now.</p>
  ${secretBox(url, 'Link')}
  <p><a class="button" href="/people">I have copied it</a></p>
</div>`;
      return sendFramed(signedIn, { title: 'The invitation', body });
    }),
  );

  pages.post(
    '/people/second-factor',
    withSession(dependencies, async (signedIn) => {
      const required = field(signedIn.form, 'required') === 'yes';
      const { error } = await outcomeOf(askGateway(gateway, REQUIRE_SECOND_FACTOR, { required }, signedIn.principal));
      if (!error)
        return signedIn.reply.redirect(`/people?done=second-factor-${required ? 'required' : 'optional'}`, 303);
      const list = listBody(signedIn, await listAccountUsers(gateway, signedIn.principal));
      return sendFramed(signedIn, {
        title: 'People',
        error: error.message,
        status: ERROR_TABLE[error.code].status,
        body: html`${signInAgain(error, '/people')}${list}`,
      });
    }),
  );

  pages.post(
    '/people/revoke-invitation',
    withSession(dependencies, async ({ reply, form, principal }) => {
      await askGateway(gateway, REVOKE, { id: field(form, 'id') }, principal);
      return reply.redirect('/people?done=invitation-revoked', 303);
    }),
  );
}

function listBody({ csrf, principal }: SignedIn, { accountUsers, invitations, organization }: AccountUsers): Html {
  return html`
<div class="heading"><h1>People</h1><a class="button" href="/people/invite">Invite member</a></div>
<p class="lead">Everyone who can sign in to this organization.</p>
<ul class="rows">${accountUsers.map(
    (user) => html`
  <li class="panel row">
    <div>
      <h2 class="name"><a href="/people/${user.id}">${user.email}</a> ${accountBadges(user)}${user.id === principal.accountUserId && html` <span class="badge good">you</span>`}</h2>
      <p class="muted">Since ${formatDate(user.createdAt)}. ${user.lastSignedInAt === null ? 'No recent sign-in.' : html`Last sign-in ${formatInstant(user.lastSignedInAt)}.`}</p>
    </div>
    <a href="/people/${user.id}" aria-label="Manage ${user.email}">Manage</a>
  </li>`,
  )}
</ul>
${
  invitations.length > 0 &&
  html`
<h2>Open invitations</h2>
<ul class="rows">${invitations.map(
    ({ id, email, role, invitedBy, expiresAt }) => html`
  <li class="panel row">
    <div><p class="name"><strong>${email}</strong> <span class="badge">${enumText(role)}</span></p><p class="muted">Invited by ${accountUsers.find((user) => user.id === invitedBy)?.email ?? 'an operator'}. Expires ${formatInstant(expiresAt)}.</p></div>
    <form method="post" action="/people/revoke-invitation">${csrfField(csrf)}
      <button class="secondary" name="id" value="${id}" aria-label="Revoke the invitation for ${email}">Revoke</button></form>
  </li>`,
  )}
</ul>`
}
<h2>Second factor</h2>
<form method="post" action="/people/second-factor" class="panel stack wide-form">${csrfField(csrf)}
  <p><span class="badge${organization.requiresSecondFactor && ' good'}">${organization.requiresSecondFactor ? 'required' : 'not required'}</span> ${
    organization.requiresSecondFactor
      ? 'Everyone must sign in with a passkey or an authenticator app. Members without one must set one up first.'
      : 'Two-step sign-in is optional.'
  } API keys are not affected.</p>
  ${
    principal.grants.includes('owner') &&
    html`<input type="hidden" name="required" value="${organization.requiresSecondFactor ? 'no' : 'yes'}">
  <button class="secondary">${organization.requiresSecondFactor ? 'Make optional' : 'Require for everyone'}</button>`
  }
</form>`;
}

function inviteBody({ csrf, form, principal }: SignedIn): Html {
  return html`
<p class="crumbs"><a href="/people">People</a></p>
<h1>Invite member</h1>
<p class="lead">Inviting someone requires a sign-in within the last ten minutes. <a href="${signInPath('/people/invite', true)}">Sign in again</a> if yours is older.</p>
<form method="post" action="/people/invite" class="panel stack wide-form">
  ${csrfField(csrf)}
  <label>E-mail address <input type="email" name="email" value="${field(form, 'email')}" autocomplete="off" required></label>
  ${roleChoices(rolesFor(principal), field(form, 'role') || 'member')}
  ${principal.grants.includes('owner') && ownPasswordField('to invite an owner')}
  <p class="muted">Creates a link for you to send. The invited person sets the password.</p>
  <p class="actions"><button>Create link</button> <a href="/people">Cancel</a></p>
</form>`;
}
