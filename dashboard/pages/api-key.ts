/** `/api-keys/{id}`: one key and the actions on it. Each action happens only when its button is pressed. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { fail, type KnownError } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';
import { type ApiKey, listApiKeys, keyBadges, keyState, scopeList, secretBox } from '../figures/api-key.ts';
import { formatInstant } from '../figures/instant.ts';
import { withSession, type SignedIn } from '../http/with-session.ts';
import { csrfField, field } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { signInPath } from '../http/sign-in-path.ts';
import type { Dependencies } from '../http/dependencies.ts';

const ROTATE = graphql(
  'mutation RotateKey($id: ID!) { apiKeyRotate(input: { id: $id }) { rotatedApiKey { apiKey keyInfo { apiKeyId name } warning } userErrors { message code } } }',
);
const REVEAL = graphql(
  'mutation RevealKey($id: ID!) { apiKeyReveal(input: { id: $id }) { revealedApiKey { apiKey } userErrors { message code } } }',
);
const UNSIGNED = graphql(
  'mutation UnsignedWrites($id: ID!, $allowed: Boolean!) { apiKeySetUnsignedWrites(input: { id: $id, allowed: $allowed }) { apiKey { id } userErrors { message code } } }',
);
const REVOKE = graphql(
  'mutation RevokeKey($id: ID!) { apiKeyRevoke(input: { id: $id }) { apiKey { id } userErrors { message code } } }',
);

export function apiKeyPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (
    signedIn: SignedIn,
    found: { error?: string | undefined; secret?: string; needsPassword?: boolean } = {},
  ): Promise<FastifyReply> => {
    const key =
      (await listApiKeys(gateway, signedIn.principal)).find(({ id }) => id === idOf(signedIn)) ??
      fail('NOT_FOUND', 'This API key does not exist.');
    return sendFramed(signedIn, {
      title: key.name,
      error: found.error,
      ...(found.needsPassword ? { status: 403 } : {}),
      body: keyBody(signedIn, key, found),
    });
  };

  pages.get(
    '/api-keys/:id',
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    '/api-keys/:id/rotate',
    withSession(dependencies, async (signedIn) => {
      const call = askGateway(gateway, ROTATE, { id: idOf(signedIn) }, signedIn.principal);
      const { value, error } = await outcomeOf(call);
      if (error) return render(signedIn, refusal(error));
      const { apiKey, keyInfo, warning } = value.apiKeyRotate.rotatedApiKey!;
      const body = html`
<h1>The new key</h1>
<div class="panel">
  <p><strong>${keyInfo.name}</strong> replaces the old key, which no longer works. ${warning}</p>
  ${secretBox(apiKey, 'API key')}
  <p><a class="button" href="/api-keys">I have copied it</a></p>
</div>`;
      return sendFramed(signedIn, { title: 'The new key', body });
    }),
  );

  pages.post(
    '/api-keys/:id/reveal',
    withSession(dependencies, async (signedIn) => {
      const { value, error } = await outcomeOf(askGateway(gateway, REVEAL, { id: idOf(signedIn) }, signedIn.principal));
      if (error) return render(signedIn, refusal(error));
      return render(signedIn, { secret: value.apiKeyReveal.revealedApiKey!.apiKey });
    }),
  );

  pages.post(
    '/api-keys/:id/unsigned',
    withSession(dependencies, async (signedIn) => {
      const allowed = field(signedIn.form, 'allowed') === 'yes';
      const call = askGateway(gateway, UNSIGNED, { id: idOf(signedIn), allowed }, signedIn.principal);
      const { error } = await outcomeOf(call);
      if (error) return render(signedIn, refusal(error));
      return signedIn.reply.redirect(`/api-keys/${idOf(signedIn)}`, 303);
    }),
  );

  pages.post(
    '/api-keys/:id/revoke',
    withSession(dependencies, async (signedIn) => {
      const { error } = await outcomeOf(askGateway(gateway, REVOKE, { id: idOf(signedIn) }, signedIn.principal));
      return error
        ? render(signedIn, { error: error.message })
        : signedIn.reply.redirect('/api-keys?done=key-revoked', 303);
    }),
  );
}

function refusal({ message, details }: KnownError): { error: string; needsPassword: boolean } {
  return { error: message, needsPassword: details['actionHint'] === 'SIGN_IN_AGAIN' };
}

function idOf({ request }: SignedIn): string {
  return (request.params as { id: string }).id;
}

function keyBody(
  { csrf }: SignedIn,
  key: ApiKey,
  { secret, needsPassword = false }: { secret?: string; needsPassword?: boolean },
): Html {
  const path = `/api-keys/${key.id}`;
  const row = (term: string, value: Html | string) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`;
  return html`
<p class="crumbs"><a href="/api-keys">API keys</a></p>
<h1>${key.name} ${keyBadges(key)}</h1>
${key.description !== null && html`<p class="lead">${key.description}</p>`}
${needsPassword && html`<p><a class="button" href="${signInPath(path, true)}">Sign in again</a></p>`}
${secret !== undefined && html`<div class="panel">${secretBox(secret, 'API key')}</div>`}
<dl class="panel facts">
  ${row('Scopes', scopeList(key.scopes))}
  ${key.scopes.includes('usage:write') && row('Unsigned requests', key.mayWriteUnsigned ? 'yes' : 'no')}
  ${row('Client', key.clientName ?? 'none: created by a person')}
  ${row('Created', formatInstant(key.createdAt))}
  ${row('Last used', key.lastUsedAt === null ? 'never' : formatInstant(key.lastUsedAt))}
  ${row('Expires', key.expiresAt === null ? 'never' : formatInstant(key.expiresAt))}
  ${key.revokedAt !== null && row('Revoked', formatInstant(key.revokedAt))}
</dl>
${
  keyState(key) === 'active' &&
  html`
<div class="acts">
  ${
    key.environment === 'TEST' &&
    secret === undefined &&
    html`
  <form class="panel" method="post" action="${path}/reveal">${csrfField(csrf)}
    <h2>Show the key</h2><p>Test keys can be shown again within ten minutes of signing in. This is recorded in the audit log.</p>
    <button class="secondary">Show the key</button></form>`
  }
  ${
    key.scopes.includes('usage:write') &&
    html`
  <form class="panel" method="post" action="${path}/unsigned">${csrfField(csrf)}
    <input type="hidden" name="allowed" value="${key.mayWriteUnsigned ? 'no' : 'yes'}">
    <h2>Unsigned writes</h2><p>OpenTelemetry exporters and gateways cannot sign a body. ${
      key.mayWriteUnsigned
        ? 'This key may send usage without a signature: anyone who has it can report usage.'
        : 'Allow this only for a key that is used for nothing else. You must have signed in within the last ten minutes. The change is recorded in the audit log.'
    }</p>
    <button class="secondary">${key.mayWriteUnsigned ? 'Require signatures' : 'Allow unsigned requests'}</button></form>`
  }
  <form class="panel" method="post" action="${path}/rotate">${csrfField(csrf)}
    <h2>Rotate</h2><p>Creates a new key with the same scopes. This one stops working immediately.</p>
    <button class="secondary">Rotate the key</button></form>
  <form class="panel" method="post" action="${path}/revoke">${csrfField(csrf)}
    <h2>Revoke</h2><p>Requests with this key are refused at once. This cannot be undone.</p>
    <button class="danger">Revoke the key</button></form>
</div>`
}`;
}
