/** Queries on prefix rate cards: hand-written ones, which match by the beginning of a model's name. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { GLOBAL_TENANT } from '../../config.ts';
import { CATALOGUE_PROVIDERS } from '#usage/names/catalogue-providers.ts';

const KNOWN_PROVIDERS = statement(
  ({ globalTenant, organizationId }: Parameters<{ globalTenant: string; organizationId: OrganizationId }>) => sql<{
    providerSlug: string;
  }>`select distinct provider_slug from rate_card
     where match_kind = 'prefix' and provider_slug is not null and organization_id in (${globalTenant}, ${organizationId})`,
);

/** Providers of the catalogue, and those named on hand-written cards. */
export async function knownProviders(tx: Transaction, organizationId: OrganizationId): Promise<ReadonlySet<string>> {
  const rows = await tx.all(KNOWN_PROVIDERS, { globalTenant: GLOBAL_TENANT, organizationId });
  return new Set([...Object.keys(CATALOGUE_PROVIDERS), ...rows.map((row) => row.providerSlug)]);
}

const FIND_PREFIX_LENGTHS = statement(
  ({ globalTenant, organizationId }: Parameters<{ globalTenant: string; organizationId: OrganizationId }>) => sql<{
    length: number;
  }>`
    select distinct char_length(a.name)::int as length
    from rate_card card join rate_alias a on (a.organization_id, a.rate_card_id) = (card.organization_id, card.id)
    where card.match_kind = 'prefix' and card.organization_id in (${globalTenant}, ${organizationId})`,
);

/** Distinct lengths of the names on hand-written cards. */
export async function findPrefixLengths(tx: WriteTransaction, organizationId: OrganizationId): Promise<number[]> {
  const rows = await tx.all(FIND_PREFIX_LENGTHS, { globalTenant: GLOBAL_TENANT, organizationId });
  return rows.map(({ length }) => length);
}
