/**
 * Replaces the counts of events and updates their state in one transaction. A queued event is priced by its new counts,
 * a waiting event is requeued, and a priced event gets the difference as a ledger entry.
 */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { printExactJson } from '#kernel/json/exact-json.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import { byTokens, COUNTED_CLASSES, tokensOf, wireName } from '#schema/token-classes.ts';
import type { PriceableEvent } from '../pricing/priceable-event.query.ts';
import { tokenDifference } from '../feed/entry-tokens.ts';
import { tokensOfEvent } from '../feed/cost-fact.ts';
import { describeReading, priceUsage } from '../pricing/price-usage.ts';
import { pricingCardOf } from '../pricing/pricing-card-of.ts';
import { chargeDifference } from '../ledger/charge-lines.ts';
import { explanationLines, priceCharges } from '../ledger/price-charges.ts';
import { requeueEvents } from '../pricing-queue/requeue-events.step.ts';
import { GUESSED } from '#usage/counts/read-tokens.ts';
import { shareRates } from '../rates/rate-generation.table.ts';
import { resolveRateCards } from '../rates/resolve-rate-card.step.ts';
import type { ResolvedRate } from '../rates/resolved-rate.ts';
import { appendCorrections, type Correction } from './corrections.step.ts';
import { costDifference, explainDifference } from './cost-difference.ts';
import { lockRepricings } from './repricing.table.ts';
import { readStandingCostsOf, type StandingCost } from './standing-costs.query.ts';
import type { UnpricedStatus } from '../ledger/unpriced-event.table.ts';

export interface Revision {
  readonly stored: PriceableEvent;
  /** The event with the counts of the later report. */
  readonly revised: PriceableEvent;
  /** Describes the replaced counts, for the explanation. */
  readonly report: string;
}

/**
 * Must be the first call in the transaction, so that this transaction and the organization's repricings do not overlap.
 */
export async function beginRevision(tx: WriteTransaction, organizationId: OrganizationId): Promise<void> {
  await shareRates(tx);
  await lockRepricings(tx, organizationId);
}

/** The events must be locked by this transaction. */
export async function reviseCounts(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  revisions: readonly Revision[],
  at: Date,
): Promise<void> {
  if (revisions.length === 0) return;
  const ids = revisions.map(({ stored }) => stored.id);
  const waiting = await lockStates(tx, organizationId, ids);
  // The hour counters drop the old counts here, and get the new ones when the event is priced.
  for (const [status, of] of Map.groupBy(waiting, (one) => one.status))
    await requeueEvents(
      tx,
      organizationId,
      status,
      of.map(({ eventId }) => eventId),
    );
  const standing = await readStandingCostsOf(tx, organizationId, ids);
  const revisedAt = at.toISOString();
  await saveCounts(
    tx,
    organizationId,
    revisions.map(({ revised }) => revised),
    at,
  );
  if (standing.length === 0) return;
  const revisionOf = new Map(revisions.map((revision) => [revision.stored.id, revision]));
  const events = standing.map(({ event }) => ({ ...revisionOf.get(event.id)!.revised, revisedAt }));
  const rates = await resolveRateCards(tx, organizationId, events);
  const corrections = standing.map((cost, index) =>
    correctionOf({ ...cost, event: events[index]! }, revisionOf.get(cost.event.id)!, rates[index]!),
  );
  await appendCorrections(tx, organizationId, null, corrections, at);
}

const SELECT_COST_ENTRY = statement<
  { eventId: EventId },
  { readonly organizationId: OrganizationId; readonly ids: readonly string[] }
>(
  'select event_id from cost_entry where organization_id = :organizationId and event_id = any(:ids::uuid[]) and sequence = 0',
);

const SELECT_UNPRICED_EVENT = statement<
  { eventId: EventId; status: UnpricedStatus },
  { readonly organizationId: OrganizationId; readonly ids: readonly string[] }
>(`select event_id, status from unpriced_event
       where organization_id = :organizationId and event_id = any(:ids::uuid[]) order by event_id for update`);

const LOCK_STATES = statement<
  { eventIds: EventId[] },
  { readonly organizationId: OrganizationId; readonly ids: readonly string[] }
>(`select array_to_json(event_ids) as event_ids from pricing_job
       where organization_id = :organizationId and event_ids && :ids::uuid[] order by id for update`);

/**
 * Waits for transactions that price one of the events, and keeps others from starting to. Returns the waiting events,
 * which are locked too: each event then stays in the queue, the waiting list or the ledger until this transaction ends.
 */
async function lockStates(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<{ eventId: EventId; status: UnpricedStatus }[]> {
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const queued = await tx.all(LOCK_STATES, { organizationId, ids });
    const waiting = await tx.all(SELECT_UNPRICED_EVENT, { organizationId, ids });
    const priced = await tx.all(SELECT_COST_ENTRY, { organizationId, ids });
    const found = new Set([
      ...queued.flatMap(({ eventIds }) => eventIds),
      ...[...waiting, ...priced].map(({ eventId }) => eventId),
    ]);
    // An event requeued between two of the statements is found by none of them; the next round finds it.
    if (ids.every((id) => found.has(id))) return waiting;
  }
  throw new Error('An event that was reported again is in no processing state');
}

const ROUNDS_MAX = 10;

/** An event that no card prices by its new counts keeps its cost, which is then a guess. */
function correctionOf(standing: StandingCost, { stored, revised, report }: Revision, rate: ResolvedRate): Correction {
  const counts = { before: tokensOfEvent(stored), after: tokensOfEvent(revised) };
  const price = priceUsage(revised, pricingCardOf(rate));
  const match = revised.costOverride === null ? rate.match : null;
  const tokens = tokenDifference(counts);
  if (price.kind === 'waiting') {
    const parts = costDifference(standing.parts, standing.parts);
    const why = `${report}, which cannot be priced: ${price.reason}`;
    const explanation = explainDifference(parts, [], why, counts);
    return { standing, parts, charges: [], tokens, entry: { ...UNPRICED, explanation } };
  }
  const { priced } = price;
  const parts = costDifference(standing.parts, priced);
  const { charges: after } = priceCharges(revised, rate, priced, price.tokens, explanationLines(priced));
  const charges = chargeDifference(standing.charges, after);
  const reading = match === null ? report : `${report}; ${describeReading(price.tokens)}`;
  return {
    standing,
    parts,
    charges,
    tokens,
    entry: {
      rateCardId: match?.card.id ?? null,
      rateCardVersionId: match?.version.id ?? null,
      tierAbove: priced.tierAboveInputTokens,
      matchRule: match?.rule ?? null,
      explanation: explainDifference(parts, charges, reading, counts),
      pricingContext: priced.context,
      unknownContext: priced.unknownContext || null,
      reading: match === null ? null : price.tokens.name,
      cause: 'reported',
    },
  };
}

const UNPRICED = {
  rateCardId: null,
  rateCardVersionId: null,
  tierAbove: null,
  matchRule: null,
  pricingContext: '',
  unknownContext: null,
  reading: GUESSED,
  cause: 'reported',
} as const;

const TOKENS = COUNTED_CLASSES.map((name) => ({ property: tokensOf(name), column: wireName(tokensOf(name)) }));

const SAVE_COUNTS = statement<
  object,
  { readonly organizationId: OrganizationId; readonly items: string; readonly at: Date }
>(`
  update usage_event e set ${TOKENS.map(({ property, column }) => `${column} = item."${property}"`).join(', ')},
    units = item.units, cost_override = item."costOverride", provider_usage = item."providerUsage"::json,
    metadata = item.metadata::json, revised_at = :at
  from json_to_recordset(:items::json) as item (
    id uuid, ${TOKENS.map(({ property }) => `"${property}" bigint`).join(', ')}, units numeric, "costOverride" numeric,
    "providerUsage" text, metadata text)
  where e.organization_id = :organizationId and e.id = item.id`);

async function saveCounts(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  events: readonly PriceableEvent[],
  at: Date,
): Promise<void> {
  const text = (value: unknown) => (value === null ? null : printExactJson(value));
  const items = events.map((event) => ({
    id: event.id,
    ...byTokens<number, number | null>((name) => event[tokensOf(name)]),
    units: event.units,
    costOverride: event.costOverride,
    providerUsage: text(event.providerUsage),
    metadata: text(event.metadata),
  }));
  await tx.run(SAVE_COUNTS, { organizationId, items: JSON.stringify(items), at });
}
