/** Reads the usage of the last 30 days by the rate card that priced it. */
import type { OrganizationId } from '#kernel/ids.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { instantOf } from '#kernel/time/instant.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { GLOBAL_TENANT, SIMULATED_EVENTS_MAX } from '../config.ts';
import { readInputSizes } from '../rates/input-sizes.query.ts';
import type { PricedGroup } from './priced-groups.query.ts';
import { readGroups } from './read-groups.step.ts';

const USAGE_DAYS = 30;

/** Start of the usage period that ends now. */
export function usageStart(at: Date): Date {
  return new Date(at.getTime() - USAGE_DAYS * DAY_MS);
}

/**
 * Usage by card id, which is empty for usage that no card priced. Fails with `UNPROCESSABLE_ENTITY` for too many individual
 * events.
 */
export async function readUsageByCard(
  tx: Transaction,
  organizationId: OrganizationId,
  models: readonly string[],
  at: Date,
): Promise<ReadonlyMap<string, PricedGroup[]>> {
  const groups = await readGroups(tx, {
    organizationId,
    window: { start: instantOf(usageStart(at)), end: instantOf(at) },
    models,
    endUser: null,
    agent: null,
    inputSizes: await readInputSizes(tx, organizationId),
    eventsMax: SIMULATED_EVENTS_MAX,
  });
  const cardOf = await cardsOfVersions(tx, organizationId, [
    ...new Set(groups.flatMap(({ rateCardVersionId }) => rateCardVersionId ?? [])),
  ]);
  return Map.groupBy(groups, ({ rateCardVersionId }) => cardOf.get(rateCardVersionId ?? '') ?? '');
}

const CARDS_OF_VERSIONS = statement<
  { id: string; card: string },
  { readonly globalTenant: string; readonly organizationId: OrganizationId; readonly versionIds: readonly string[] }
>(`select id::text, rate_card_id::text as card from rate_card_version
     where organization_id in (:globalTenant, :organizationId) and id = any(:versionIds::uuid[])`);

/** Includes versions that were superseded since. */
async function cardsOfVersions(
  tx: Transaction,
  organizationId: OrganizationId,
  versionIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.all(CARDS_OF_VERSIONS, { globalTenant: GLOBAL_TENANT, organizationId, versionIds });
  return new Map(rows.map(({ id, card }) => [id, card]));
}
