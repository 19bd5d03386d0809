/** `/passkeys/…`: adding, renaming and removing one's own passkeys. They are listed at `/second-factor`. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { fail, type KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatDate, formatInstant } from '../figures/instant.ts';
import { passkeyForm, passkeyResponse } from '../figures/passkey-form.ts';
import { recoveryCodes } from '../figures/recovery-codes.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field, rawField } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { allowOwnScript } from '../http/security-headers.ts';
import { sendFramed } from '../http/send-page.ts';
import { PASSKEY_SCRIPT_PATH } from '../shell/serve-assets.ts';
import { signInAgain } from '../http/sign-in-again.ts';
import { renewed, withSession, type SignedIn } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

const PASSKEYS = graphql('query Passkeys { passkeys { id name createdAt lastUsedAt isSynced } }');
const START = graphql(
  'mutation StartPasskey($password: String!) { passkeyStart(input: { password: $password }) { passkeyOptions { options } userErrors { message code } } }',
);
const CONFIRM = graphql(`mutation ConfirmPasskey($name: String!, $response: JSON!) {
  passkeyConfirm(input: { name: $name, response: $response }) { addedPasskey { recoveryCodes session { token expiresAt } } userErrors { message code } }
}`);
const RENAME = graphql(
  'mutation RenamePasskey($id: ID!, $name: String!) { passkeyRename(input: { id: $id, name: $name }) { passkey { id } userErrors { message code } } }',
);
const REMOVE = graphql(`mutation RemovePasskey($id: ID!, $password: String!) {
  passkeyRemove(input: { id: $id, password: $password }) { session { token expiresAt } userErrors { message code } }
}`);

export type Passkey = DataOf<'Passkeys'>['passkeys'][number];

export function passkeyPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway, appOrigin } = dependencies;

  const renderNew = (signedIn: SignedIn, error?: KnownError): FastifyReply =>
    sendFramed(signedIn, {
      title: 'Add a passkey',
      ...refusalOf(error),
      body: html`${signInAgain(error, '/passkeys/new')}${newBody(signedIn, dependencies.hasPasskeys)}`,
    });

  pages.get(
    '/passkeys/new',
    withSession(dependencies, async (signedIn) => renderNew(signedIn)),
  );

  pages.post(
    '/passkeys/new',
    withSession(dependencies, async (signedIn) => {
      const name = field(signedIn.form, 'name');
      const variables = { password: rawField(signedIn.form, 'password') };
      const { value, error } = await outcomeOf(askGateway(gateway, START, variables, signedIn.principal));
      if (error) return renderNew(signedIn, error);
      allowOwnScript(signedIn.reply);
      const body = html`
<h1>Add a passkey</h1>
<div class="panel stack">
  <p>Your browser will ask where to store the passkey <strong>${name}</strong>: on this device, on your phone or on a security key.</p>
  ${passkeyForm({
    action: '/passkeys',
    csrf: signedIn.csrf,
    kind: 'create',
    options: value.passkeyStart.passkeyOptions!.options,
    hidden: { name },
    button: 'Create passkey',
    origin: appOrigin,
  })}
  <p><a href="/second-factor">Cancel</a></p>
</div>`;
      return sendFramed(signedIn, { title: 'Add a passkey', body, script: PASSKEY_SCRIPT_PATH });
    }),
  );

  pages.post(
    '/passkeys',
    withSession(dependencies, async (signedIn) => {
      const { form, principal, reply } = signedIn;
      const variables = { name: field(form, 'name'), response: passkeyResponse(rawField(form, 'response')) };
      const { value, error } = await outcomeOf(askGateway(gateway, CONFIRM, variables, principal));
      if (error) return renderNew(signedIn, error);
      const { recoveryCodes: codes, session } = value.passkeyConfirm.addedPasskey!;
      const next = renewed(signedIn, dependencies, session);
      return codes === null
        ? reply.redirect('/second-factor?done=passkey-added', 303)
        : sendFramed(next, { title: 'Your recovery codes', body: recoveryCodes(codes, 'The passkey was added.') });
    }),
  );

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const passkeys = await listPasskeys(dependencies, signedIn);
    const passkey =
      passkeys.find(({ id }) => id === idOf(signedIn)) ?? fail('NOT_FOUND', 'This passkey does not exist.');
    return sendFramed(signedIn, {
      title: passkey.name,
      ...refusalOf(error),
      body: html`${signInAgain(error, `/passkeys/${passkey.id}`)}${passkeyBody(signedIn, passkey)}`,
    });
  };

  pages.get(
    '/passkeys/:id',
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    '/passkeys/:id/rename',
    withSession(dependencies, async (signedIn) => {
      const variables = { id: idOf(signedIn), name: field(signedIn.form, 'name') };
      const { error } = await outcomeOf(askGateway(gateway, RENAME, variables, signedIn.principal));
      return error ? render(signedIn, error) : signedIn.reply.redirect('/second-factor?done=passkey-renamed', 303);
    }),
  );

  pages.post(
    '/passkeys/:id/remove',
    withSession(dependencies, async (signedIn) => {
      const variables = { id: idOf(signedIn), password: rawField(signedIn.form, 'password') };
      const { value, error } = await outcomeOf(askGateway(gateway, REMOVE, variables, signedIn.principal));
      if (error) return render(signedIn, error);
      renewed(signedIn, dependencies, value.passkeyRemove.session!);
      return signedIn.reply.redirect('/second-factor?done=passkey-removed', 303);
    }),
  );
}

export async function listPasskeys({ gateway }: Dependencies, { principal }: SignedIn): Promise<readonly Passkey[]> {
  return (await askGateway(gateway, PASSKEYS, {}, principal)).passkeys;
}

/** A section of the second-factor page. */
export function passkeyList(passkeys: readonly Passkey[], hasPasskeys: boolean): Html {
  return html`
<div class="heading"><h2>Passkeys</h2>${hasPasskeys && html`<a class="button secondary" href="/passkeys/new">Add a passkey</a>`}</div>
<p class="muted">A passkey signs you in with your fingerprint, face or PIN instead of your password. It works only on this site.</p>
${passkeys.length === 0 && html`<p class="panel empty">${hasPasskeys ? 'No passkeys.' : 'Passkeys require a host name for this service: ask the operator.'}</p>`}
${
  passkeys.length > 0 &&
  html`<ul class="rows">${passkeys.map(
    ({ id, name, createdAt, lastUsedAt, isSynced }) => html`
  <li class="panel row">
    <div><p class="name"><strong><a href="/passkeys/${id}">${name}</a></strong>${isSynced && html` <span class="badge">on several devices</span>`}</p>
      <p class="muted">Added ${formatDate(createdAt)}. ${lastUsedAt === null ? 'Not used yet.' : html`Last used ${formatInstant(lastUsedAt)}.`}</p></div>
    <a href="/passkeys/${id}" aria-label="Manage ${name}">Manage</a>
  </li>`,
  )}
</ul>`
}`;
}

function idOf({ request }: SignedIn): string {
  return (request.params as { id: string }).id;
}

function newBody({ csrf, form }: SignedIn, hasPasskeys: boolean): Html {
  return html`
<p class="crumbs"><a href="/second-factor">Two-step sign-in</a></p>
<h1>Add a passkey</h1>
${
  hasPasskeys
    ? html`<form method="post" action="/passkeys/new" class="panel stack wide-form">
  ${csrfField(csrf)}
  <p>Signing in with your password will then also require this passkey or another second factor.</p>
  <label>Name <span class="muted">(to tell it from others, such as "My phone")</span> <input name="name" value="${field(form, 'name')}" maxlength="255" autocomplete="off" required></label>
  <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
  <p class="actions"><button>Continue</button> <a href="/second-factor">Cancel</a></p>
</form>`
    : html`<p class="panel empty">Passkeys require a host name for this service: ask the operator to set <code>APP_URL</code>.</p>`
}`;
}

function passkeyBody({ csrf }: SignedIn, { id, name, createdAt, lastUsedAt, isSynced }: Passkey): Html {
  return html`
<p class="crumbs"><a href="/second-factor">Two-step sign-in</a></p>
<h1 class="name">${name}</h1>
<p class="lead">Added ${formatInstant(createdAt)}. ${lastUsedAt === null ? 'Not used yet.' : html`Last used ${formatInstant(lastUsedAt)}.`} ${isSynced ? 'Synced across devices.' : 'On one device.'}</p>
<div class="acts">
  <form class="panel stack" method="post" action="/passkeys/${id}/rename">${csrfField(csrf)}
    <h2>Name</h2>
    <label>Name <input name="name" value="${name}" maxlength="255" autocomplete="off" required></label>
    <button class="secondary">Rename</button></form>
  <form class="panel stack" method="post" action="/passkeys/${id}/remove">${csrfField(csrf)}
    <h2>Remove</h2><p>It can no longer be used to sign in, and all your other devices are signed out.</p>
    <label>Password <input type="password" name="password" autocomplete="current-password" required></label>
    <button class="danger">Remove the passkey</button></form>
</div>`;
}
