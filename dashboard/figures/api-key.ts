/** An API key as the pages show it. */
import { enumText } from '#kernel/enum-value.ts';
import { now } from '#platform/clock.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { html, type Html } from '../shell/html.ts';

const API_KEYS = graphql(`query ApiKeys {
  apiKeys { id name description scopes mayWriteUnsigned environment accountUserId createdAt clientName expiresAt revokedAt lastUsedAt }
}`);

export type ApiKey = DataOf<'ApiKeys'>['apiKeys'][number];

/** API keys that the person may see, newest first. */
export async function listApiKeys(gateway: GatewayClient, principal: Principal): Promise<readonly ApiKey[]> {
  return (await askGateway(gateway, API_KEYS, {}, principal)).apiKeys;
}

export function keyState({ revokedAt, expiresAt }: ApiKey): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt) <= now() ? 'expired' : 'active';
}

export function keyBadges(key: ApiKey): Html {
  const state = keyState(key);
  return html`<span class="badge ${enumText(key.environment)}">${enumText(key.environment)}</span>${key.mayWriteUnsigned && html` <span class="badge bad">unsigned</span>`}${state !== 'active' && html` <span class="badge bad">${state}</span>`}`;
}

export function scopeList(scopes: readonly string[]): Html {
  return html`<span class="scopes">${scopes.map((scope) => html`<code>${scope}</code> `)}</span>`;
}

/** A secret that is shown once; one click selects all of it. */
export function secretBox(secret: string, label: string): Html {
  return html`<p class="secret"><span class="label" id="secret-label">${label}</span><code tabindex="0" aria-labelledby="secret-label">${secret}</code></p>`;
}
