/** `/people/{id}`: one person's account and the actions on it. Each action happens only when its button is pressed. */
import { enumText } from '#kernel/enum-value.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type KnownError, fail } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { ACTIONS } from '../figures/people/account-user-actions.ts';
import {
  accountBadges,
  type AccountUser,
  listAccountUsers,
  ownPassword,
  ownPasswordField,
  roleChoices,
  ROLES,
  rolesFor,
} from '../figures/account-user.ts';
import { secretBox } from '../figures/api-key.ts';
import { formatDevice } from '../figures/device.ts';
import {
  deleteChannels,
  type IssuedAccess,
  isDeletingChannels,
  isRevokingKeys,
  issuedList,
  listIssuedAccess,
  revokeChoices,
} from '../figures/people/issued-access.ts';
import { formatInstant } from '../figures/instant.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { withSession, type SignedIn } from '../http/with-session.ts';
import { csrfField, field } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { signInAgain } from '../http/sign-in-again.ts';
import type { Dependencies } from '../http/dependencies.ts';

const SESSIONS = graphql(
  'query AccountUserSessions($id: ID!) { accountUserSessions(id: $id) { id signedInAt lastSeenAt address userAgent } }',
);
const RESET_PASSWORD = graphql(
  'mutation StartPasswordReset($id: ID!, $ownPassword: String) { accountUserStartPasswordReset(input: { id: $id, ownPassword: $ownPassword }) { link { url expiresAt } userErrors { message code } } }',
);

/** Details of a person whom the caller manages. */
interface Managed {
  readonly sessions: readonly Session[];
  readonly issued: IssuedAccess;
}

type Session = DataOf<'AccountUserSessions'>['accountUserSessions'][number];

export function accountUserPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const find = async ({ principal }: SignedIn, id: string): Promise<AccountUser> =>
    (await listAccountUsers(gateway, principal)).accountUsers.find((one) => one.id === id) ??
    fail('NOT_FOUND', 'This person does not exist.');

  const readManaged = async ({ principal }: SignedIn, user: AccountUser): Promise<Managed> => ({
    sessions: (await askGateway(gateway, SESSIONS, { id: user.id }, principal)).accountUserSessions,
    issued: await listIssuedAccess(gateway, principal, user),
  });

  const render = async (
    signedIn: SignedIn,
    error?: Pick<KnownError, 'code' | 'message' | 'details'>,
  ): Promise<FastifyReply> => {
    const id = idOf(signedIn);
    const user = await find(signedIn, id);
    const isManaged =
      user.id !== signedIn.principal.accountUserId &&
      rolesFor(signedIn.principal).some((role) => role.id === enumText(user.role));
    const managed = isManaged ? await readManaged(signedIn, user) : null;
    const body = html`${signInAgain(error, `/people/${id}`)}${accountUserBody(signedIn, user, managed)}`;
    return sendFramed(signedIn, {
      title: user.email,
      ...refusalOf(error),
      body,
    });
  };

  pages.get(
    '/people/:id',
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  for (const { path, document, done, fields, revokes = false } of ACTIONS) {
    pages.post(
      `/people/:id/${path}`,
      withSession(dependencies, async (signedIn) => {
        const { form, principal, reply } = signedIn;
        const id = idOf(signedIn);
        const channels =
          revokes && isDeletingChannels(form)
            ? (await listIssuedAccess(gateway, principal, await find(signedIn, id))).channels
            : [];
        const variables = {
          id,
          ...ownPassword(form),
          ...Object.fromEntries(fields.map((name) => [name, field(form, name)])),
          ...(revokes && { revokeIssuedKeys: isRevokingKeys(form) }),
        };
        const { error } = await outcomeOf(askGateway(gateway, document, variables, principal));
        if (error) return render(signedIn, error);
        const left = await deleteChannels(gateway, principal, channels);
        if (left !== null) fail('SERVICE_UNAVAILABLE', left);
        return reply.redirect(path === 'remove' ? `/people?done=${done}` : `/people/${id}?done=${done}`, 303);
      }),
    );
  }

  pages.post(
    '/people/:id/reset-password',
    withSession(dependencies, async (signedIn) => {
      const call = askGateway(
        gateway,
        RESET_PASSWORD,
        { id: idOf(signedIn), ...ownPassword(signedIn.form) },
        signedIn.principal,
      );
      const { value, error } = await outcomeOf(call);
      if (error) return render(signedIn, error);
      const { url, expiresAt } = value.accountUserStartPasswordReset.link!;
      const body = html`
<h1>Password reset link</h1>
<div class="panel">
  <p>Give this link only to that person: anyone who opens it can set the password. It works once, until ${formatInstant(expiresAt)}, and is shown only now. Earlier links no longer work.</p>
  ${secretBox(url, 'Link')}
  <p><a class="button" href="/people/${idOf(signedIn)}">I have copied it</a></p>
</div>`;
      return sendFramed(signedIn, { title: 'Password reset link', body });
    }),
  );
}

function idOf({ request }: SignedIn): string {
  return (request.params as { id: string }).id;
}

/** `managed` is `null` if the caller may only view the account. */
function accountUserBody(signedIn: SignedIn, user: AccountUser, managed: Managed | null): Html {
  return html`
<p class="crumbs"><a href="/people">People</a></p>
<h1 class="name">${user.email} ${accountBadges(user)}</h1>
<p class="lead">Since ${formatInstant(user.createdAt)}.${user.disabledAt !== null && html` Disabled since ${formatInstant(user.disabledAt)}.`}</p>
${user.id === signedIn.principal.accountUserId && html`<p class="panel">This is you. Your <a href="/password">password</a>, <a href="/second-factor">two-step sign-in</a> and <a href="/sessions">devices</a> are managed on their own pages; another owner can do the rest.</p>`}
${managed === null && user.id !== signedIn.principal.accountUserId && html`<p class="panel">Only owners can manage owners, admins and finance users.</p>`}
${managed !== null && html`${issuedList(managed.issued)}${sessionList(signedIn, user, managed.sessions)}${actions(signedIn, user, managed.issued)}`}`;
}

function sessionList({ csrf }: SignedIn, { id, email, role }: AccountUser, sessions: readonly Session[]): Html {
  return html`
<h2>Devices</h2>
${sessions.length === 0 && html`<p class="muted">No active sessions.</p>`}
${
  sessions.length > 0 &&
  html`<form class="stack" method="post" action="/people/${id}/end-session">${csrfField(csrf)}
${role === 'OWNER' && ownPasswordField(null)}
<ul class="rows">${sessions.map(
    (session) => html`
  <li class="panel row">
    <div><p><strong>${formatDevice(session.userAgent)}</strong></p>
      <p class="muted">Signed in from <code>${session.address}</code> on ${formatInstant(session.signedInAt)}. Last seen ${formatInstant(session.lastSeenAt)}.</p></div>
    <button class="secondary" name="sessionId" value="${session.id}" aria-label="Sign out ${formatDevice(session.userAgent)} of ${email}">Sign out</button>
  </li>`,
  )}
</ul></form>`
}`;
}

function actions(
  { csrf, principal }: SignedIn,
  { id, role, disabledAt, hasSecondFactor }: AccountUser,
  issued: IssuedAccess,
): Html {
  const password = role === 'OWNER' && ownPasswordField(null);
  const revoke = revokeChoices(issued);
  const form = (
    path: string,
    title: string,
    text: string,
    button: string,
    kind: 'secondary' | 'danger',
    choices: Html | false = false,
  ) => html`
  <form class="panel stack" method="post" action="/people/${id}/${path}">${csrfField(csrf)}
    <h2>${title}</h2><p>${text}</p>${choices}${password}<button class="${kind}">${button}</button></form>`;
  return html`
<div class="acts">
  ${
    principal.grants.includes('owner') &&
    html`
  <form class="panel stack" method="post" action="/people/${id}/role">${csrfField(csrf)}
    <h2>Change the role</h2>${roleChoices(ROLES, enumText(role))}${role !== 'MEMBER' && html`<p>Lowering the role revokes links and keys that the new role could not have issued.</p>${revoke}`}${role === 'OWNER' ? password : ownPasswordField('to make an owner')}<button class="secondary">Change the role</button></form>`
  }
  ${form('end-sessions', 'Sign out everywhere', 'All devices are signed out. API keys keep working.', 'Sign out everywhere', 'secondary')}
  ${disabledAt === null && form('reset-password', 'New password', 'Creates a link that works once, for one day. The old password works until then.', 'Create link', 'secondary')}
  ${hasSecondFactor && form('reset-second-factor', 'Lost phone', 'Removes two-step sign-in and all passkeys, and signs out all devices. The person can then sign in with the password only.', 'Remove two-step sign-in', 'danger')}
  ${
    disabledAt === null
      ? form(
          'disable',
          'Disable',
          'Signs out all devices and revokes all keys of this person at once. You can enable the account again; the keys stay revoked.',
          'Disable the account',
          'danger',
          revoke,
        )
      : form(
          'enable',
          'Enable',
          'The person can sign in again. Revoked keys stay revoked.',
          'Enable the account',
          'secondary',
        )
  }
  ${form('remove', 'Remove', 'Removes the account permanently and revokes its keys at once. The audit log is kept.', 'Remove the person', 'danger', revoke)}
</div>`;
}
