/** Checks that no event waits for a rate card that exists. */
import type { OrganizationId } from '#kernel/ids.ts';
import { byOrganization, findAcross, lookIn } from '#platform/database/nodes/look-across.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { VerificationCheck } from '../credits/verify-credits.query.ts';
import { GLOBAL_TENANT, REQUEUE_EVENTS } from '../config.ts';
import { readPriceableEvents } from '../pricing/priceable-event.query.ts';
import { priceUsage } from '../pricing/price-usage.ts';
import { REQUEUE_WAITING } from '../pricing-queue/requeue-events.step.ts';
import { pricingCardOf } from '../pricing/pricing-card-of.ts';
import { matchesAnyCard, resolveRateCards } from '../rates/resolve-rate-card.step.ts';
import type { ResolvedRate } from '../rates/resolved-rate.ts';
import {
  AFTER_ALL,
  findWaitingModels,
  listWaitingEvents,
  organizationWith,
  type UnpricedEventKey,
} from '../ledger/unpriced-event.table.ts';

/**
 * Organizations whose waiting events are being requeued; contains `GLOBAL_TENANT` if the events of all organizations
 * are. An unreachable node may have more such operations, so all organizations are then left out of the check.
 */
export async function findRequeueing(database: Database): Promise<ReadonlySet<string>> {
  const { rows, away } = await findAcross<{ organizationId: OrganizationId }>(database, {
    tables: ['operation'],
    text: (table) => `select organization_id from ${table} where kind = $1 and state = 'running'`,
    parameters: [REQUEUE_WAITING],
    compare: byOrganization,
  });
  return new Set(away === null ? rows.map((row) => row.organizationId) : [GLOBAL_TENANT]);
}

/** Checks the first events of each organization whose models have a card, except organizations in `requeueing`. */
export async function verifyWaitingEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
  requeueing: ReadonlySet<string>,
): Promise<VerificationCheck> {
  const differences: string[] = [];
  let checked = 0;
  for (const id of await organizationsToCheck(tx, organizationId, requeueing)) {
    const waiting = await findWaitingModels(tx, id);
    const matches = await matchesAnyCard(tx, id, waiting);
    const models = [...new Set(waiting.filter((_, index) => matches[index]).map(({ model }) => model))];
    if (models.length === 0) continue;
    const events = await listWaitingEvents(tx, id, { models, after: GLOBAL_TENANT, max: REQUEUE_EVENTS });
    checked += events.length;
    const rates = await resolveRateCards(tx, id, events);
    const stranded = await pricedBy(tx, id, events, rates);
    for (const [model, of] of Map.groupBy(stranded, (event) => event.model))
      differences.push(`organization ${id}: ${of.length} events of ${model} wait although a card prices them`);
  }
  return { check: 'no event waits for an existing rate card', checked, differences };
}

/** Counts only events that would have a cost: an event may still wait for units, or for a rate missing on the card. */
async function pricedBy(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  waiting: readonly UnpricedEventKey[],
  rates: readonly ResolvedRate[],
): Promise<UnpricedEventKey[]> {
  const matched = waiting.filter((_, index) => rates[index]?.match);
  const ids = matched.map(({ eventId }) => eventId);
  const events = await readPriceableEvents(tx, organizationId, ids);
  const ofEvents = await resolveRateCards(tx, organizationId, events);
  const priced = new Set(
    events
      .filter((event, index) => priceUsage(event, pricingCardOf(ofEvents[index]!)).kind !== 'waiting')
      .map(({ id }) => id),
  );
  return matched.filter(({ eventId }) => priced.has(eventId));
}

async function organizationsToCheck(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
  requeueing: ReadonlySet<string>,
): Promise<string[]> {
  if (requeueing.has(GLOBAL_TENANT)) return [];
  if (organizationId !== null) return requeueing.has(organizationId) ? [] : [organizationId];
  const found: string[] = [];
  let place = { organizationId: GLOBAL_TENANT, after: GLOBAL_TENANT };
  for (;;) {
    const [next] = await lookIn(tx, organizationWith('pending_rate_card', place));
    if (next === undefined) return found;
    if (!requeueing.has(next.organizationId)) found.push(next.organizationId);
    place = { organizationId: next.organizationId, after: AFTER_ALL };
  }
}
