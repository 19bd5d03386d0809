/** Registers an OAuth client (RFC 7591). Its URLs are never fetched. */
import { now } from '#platform/clock.ts';
import { networkOf } from '#platform/network-of.ts';
import { randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { STARTS_PER_ADDRESS } from '../config.ts';
import { OauthClientTable } from './oauth-client.table.ts';
import { takeTurn } from '../throttling/throttle.table.ts';
import { failForNow } from '../throttling/fail-for-now.ts';
import { isRefusal, type OauthRefusal } from './oauth-refusal.ts';
import { AUTHORIZATION_CODE_GRANT, readClientMetadata } from './read-client-metadata.ts';

export interface RegisteredClient {
  readonly clientId: string;
  /** Seconds since 1970. */
  readonly clientIdIssuedAt: number;
  readonly clientName: string;
  readonly redirectUris: string[];
  readonly grantTypes: string[];
  readonly responseTypes: string[];
  readonly tokenEndpointAuthMethod: 'none';
}

/** Fails with `RATE_LIMIT_EXCEEDED` if the address registers too many. */
export async function registerOauthClient(
  context: SubgraphContext,
  sent: unknown,
  address: string,
): Promise<RegisteredClient | OauthRefusal> {
  const metadata = readClientMetadata(sent);
  if (isRefusal(metadata)) return metadata;
  const id = randomUuid();
  const createdAt = now();
  const waitSeconds = await context.database.system(async (tx) => {
    const wait = await takeTurn(tx, `registration:${networkOf(address)}`, STARTS_PER_ADDRESS, createdAt);
    if (wait > 0) return wait;
    await tx.em.insert(OauthClientTable, {
      id,
      name: metadata.name,
      redirectUris: [...metadata.redirectUris],
      grantTypes: [...metadata.grantTypes],
      createdAt,
      lastUsedAt: null,
    });
    return 0;
  });
  if (waitSeconds > 0) return failForNow(waitSeconds);
  return {
    clientId: id,
    clientIdIssuedAt: Math.floor(createdAt.getTime() / 1000),
    clientName: metadata.name,
    redirectUris: [...metadata.redirectUris],
    grantTypes: [...metadata.grantTypes],
    responseTypes: metadata.grantTypes.includes(AUTHORIZATION_CODE_GRANT) ? ['code'] : [],
    tokenEndpointAuthMethod: 'none',
  };
}
