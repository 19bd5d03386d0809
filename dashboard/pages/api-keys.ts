/** `/api-keys`: all keys that the person may see. */
import type { FastifyInstance } from 'fastify';
import { type ApiKey, listApiKeys, keyBadges, keyState, scopeList } from '../figures/api-key.ts';
import { formatDate, formatInstant } from '../figures/instant.ts';
import { withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';
import { sendFramed } from '../http/send-page.ts';
import type { Dependencies } from '../http/dependencies.ts';

export function apiKeysPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    '/api-keys',
    withSession(dependencies, async (signedIn) => {
      const keys = await listApiKeys(dependencies.gateway, signedIn.principal);
      const active = keys.filter((key) => keyState(key) === 'active');
      const ended = keys.filter((key) => keyState(key) !== 'active');
      const body = html`
<div class="heading"><h1>API keys</h1><a class="button" href="/api-keys/new">Create a key</a></div>
<p class="lead">Keys send usage events and read costs and margins. Keys created by device login and connected applications are listed here too.</p>
${active.length > 0 ? table(active, 'Active keys') : html`<p class="panel empty">No active keys. <a href="/api-keys/new">Create the first one</a>, then send your first event: the <a href="/docs">API reference</a> explains how.</p>`}
${ended.length > 0 && html`<details><summary>Revoked and expired keys (${ended.length})</summary>${table(ended, 'Revoked and expired keys')}</details>`}`;
      return sendFramed(signedIn, { title: 'API keys', body });
    }),
  );
}

function table(keys: readonly ApiKey[], caption: string): Html {
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="${caption}"><table class="fold">
  <caption class="unseen">${caption}</caption>
  <thead><tr><th scope="col">Name</th><th scope="col">Scopes</th><th scope="col">Created</th><th scope="col">Last used</th><th scope="col">Expires</th><th scope="col"><span class="unseen">Actions</span></th></tr></thead>
  <tbody>${keys.map(
    (key) => html`
    <tr>
      <th scope="row"><a href="/api-keys/${key.id}">${key.name}</a> ${keyBadges(key)}
        ${key.clientName !== null && html` <br><span class="muted">by ${key.clientName}</span>`}
        ${key.description !== null && html` <br><span class="muted">${key.description}</span>`}</th>
      <td data-label="Scopes">${scopeList(key.scopes)}</td>
      <td data-label="Created">${formatDate(key.createdAt)}</td>
      <td data-label="Last used">${key.lastUsedAt === null ? html`<span class="muted">never</span>` : formatInstant(key.lastUsedAt)}</td>
      <td data-label="Expires">${key.expiresAt === null ? html`<span class="muted">never</span>` : formatDate(key.expiresAt)}</td>
      <td class="number"><a href="/api-keys/${key.id}" aria-label="Manage ${key.name}">Manage</a></td>
    </tr>`,
  )}
  </tbody>
</table></div>`;
}
