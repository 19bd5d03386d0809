/** An API key as the pages show it. */
import { now } from '../../platform/clock.ts';
import { askGateway } from '../../platform/ask-gateway.ts';
import type { GatewayClient } from '../../platform/gateway-client.ts';
import type { Principal } from '../../platform/principal.ts';
import { html, type Html } from '../shell/html.ts';

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly scopes: readonly string[];
  readonly environment: string;
  readonly accountUserId: string;
  readonly createdAt: string;
  readonly clientName: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

const API_KEYS = `query ApiKeys {
  apiKeys { id name description scopes environment accountUserId createdAt clientName expiresAt revokedAt lastUsedAt }
}`;

/** Newest first; what the person may see. */
export async function askApiKeys(gateway: GatewayClient, principal: Principal): Promise<ApiKey[]> {
  return (await askGateway<{ apiKeys: ApiKey[] }>(gateway, API_KEYS, {}, principal)).apiKeys;
}

export function keyState({ revokedAt, expiresAt }: ApiKey): 'active' | 'revoked' | 'expired' {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt) <= now() ? 'expired' : 'active';
}

export function keyBadges(key: ApiKey): Html {
  const state = keyState(key);
  return html`<span class="badge ${key.environment}">${key.environment}</span>${state !== 'active' && html` <span class="badge bad">${state}</span>`}`;
}

export function scopeList(scopes: readonly string[]): Html {
  return html`<span class="scopes">${scopes.map((scope) => html`<code>${scope}</code> `)}</span>`;
}

/** A secret that is shown now: one click selects all of it. */
export function secretBox(secret: string, label: string): Html {
  return html`<p class="secret"><span class="label" id="secret-label">${label}</span><code tabindex="0" aria-labelledby="secret-label">${secret}</code></p>`;
}
