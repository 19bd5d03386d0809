/** No event waits for a rate card that is there. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import type { VerificationCheck } from '../credits/verify-credits.query.ts';
import { GLOBAL_TENANT, REQUEUE_EVENTS } from '../config.ts';
import { readPriceableEvents } from '../pricing/priceable-event.query.ts';
import { priceUsage } from '../pricing/price-usage.ts';
import { pricingCardOf } from '../pricing/pricing-card-of.ts';
import { matchesAnyCard, resolveRateCards, type ResolvedRate } from '../rates/resolve-rate-card.step.ts';
import {
  AFTER_ALL,
  findOrganizationWith,
  findWaitingModels,
  listWaitingEvents,
  type UnpricedPlace,
} from '../ledger/unpriced-event.table.ts';

/** Of each organization the first events of models that a card bears are looked at. */
export async function verifyWaitingEvents(
  em: EntityManager,
  organizationId: string | null,
): Promise<VerificationCheck> {
  const differences: string[] = [];
  let checked = 0;
  for (const id of await organizationsToLookAt(em, organizationId)) {
    const waiting = await findWaitingModels(em, id);
    const matches = await matchesAnyCard(em, id, waiting);
    const models = [...new Set(waiting.filter((_, index) => matches[index]).map(({ model }) => model))];
    if (models.length === 0) continue;
    const events = await listWaitingEvents(em, id, { models, after: GLOBAL_TENANT, max: REQUEUE_EVENTS });
    checked += events.length;
    const rates = await resolveRateCards(em, id, events);
    const stranded = await pricedBy(em, id, events, rates);
    for (const [model, of] of Map.groupBy(stranded, (event) => event.model))
      differences.push(`organization ${id}: ${of.length} events of ${model} wait although a card prices them`);
  }
  return { check: 'no event waits for a card that is there', checked, differences };
}

/** Those that would have a cost: one may wait for units, or for a rate that the card does not have. */
async function pricedBy(
  em: EntityManager,
  organizationId: string,
  waiting: readonly UnpricedPlace[],
  rates: readonly ResolvedRate[],
): Promise<UnpricedPlace[]> {
  const matched = waiting.filter((_, index) => rates[index]?.match);
  const ids = matched.map(({ eventId }) => eventId);
  const events = await readPriceableEvents(em, organizationId, ids);
  const ofEvents = await resolveRateCards(em, organizationId, events);
  const priced = new Set(
    events
      .filter((event, index) => priceUsage(event, pricingCardOf(ofEvents[index]!)).kind !== 'waiting')
      .map(({ id }) => id),
  );
  return matched.filter(({ eventId }) => priced.has(eventId));
}

/** Those whose waiting events are being looked through are left out. */
async function organizationsToLookAt(em: EntityManager, organizationId: string | null): Promise<string[]> {
  const running = await query<{ organizationId: string }>(
    em,
    "select organization_id from operation where kind = 'requeue-waiting' and state = 'running'",
  );
  const busy = new Set(running.map((each) => each.organizationId));
  if (busy.has(GLOBAL_TENANT)) return [];
  if (organizationId !== null) return busy.has(organizationId) ? [] : [organizationId];
  const found: string[] = [];
  let place = { organizationId: GLOBAL_TENANT, after: GLOBAL_TENANT };
  for (;;) {
    const next = await findOrganizationWith(em, 'pending_rate_card', place);
    if (next === null) return found;
    if (!busy.has(next)) found.push(next);
    place = { organizationId: next, after: AFTER_ALL };
  }
}
