/** Corrections of the ledger: what stands now, what was corrected, and appending differences with all that follows from them. */
import { type Money, money } from '../../../kernel/money.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { liftTimeLimit, query, queryOne } from '../../../platform/database/sql.ts';
import { REPRICE_BYTES } from '../config.ts';
import { costFact } from '../feed/cost-fact.ts';
import { providerIdentity } from '../rates/matching/provider-identity.ts';
import { COST_COLUMNS, insertCostEntries, type NewCostEntry } from '../ledger/cost-entry.table.ts';
import { type CostParts, type CostTexts, costTexts, toCostParts } from '../ledger/cost-parts.ts';
import { bookLate } from '../ledger/book-late.ts';
import { findClosedUntil } from '../ledger/cost-closing.table.ts';
import { addToCostHours } from '../ledger/cost-hour.table.ts';
import {
  PRICEABLE_COLUMNS,
  type PriceableEvent,
  type PriceableRow,
  toPriceableEvent,
} from '../pricing/priceable-event.query.ts';
import { publishBatches } from '../feed/priced-batch.table.ts';
import { forgetProfiles } from '../simulation/usage-profile-day.table.ts';
import type { DonePlace, RepricingOrder } from './repricing.table.ts';

/** A priced event and the sum of its entries. */
export interface StandingCost {
  readonly event: PriceableEvent;
  /** The highest sequence of its entries. */
  readonly sequence: number;
  readonly parts: CostParts;
  /** Of the first entry: the event stays with the model, provider and pricing context under which it was counted. */
  readonly modelSlug: string;
  readonly providerSlug: string;
  readonly countedContext: string;
}

/** The next live events in order of time and id whose cost a card gave. */
export async function readStandingCosts(
  em: EntityManager,
  organizationId: string,
  order: RepricingOrder,
  after: DonePlace,
  max: number,
): Promise<StandingCost[]> {
  const rows = await query<StandingRow>(
    em,
    `
    select * from (select standing.*, ${PRICEABLE_COLUMNS}, ${within('standing')} from (
      select c.event_id, c.event_time, max(c.sequence) as sequence, min(c.model_slug) filter (where c.sequence = 0) as model_slug,
        min(c.provider_slug) filter (where c.sequence = 0) as provider_slug,
        min(c.pricing_context) filter (where c.sequence = 0) as counted_context, ${SUMS}
      from cost_entry c join usage_event u on u.organization_id = c.organization_id and u.id = c.event_id
      where c.organization_id = $1 and c.livemode and c.event_time >= greatest($2::timestamptz, $5::timestamptz) and c.event_time < $3
        and ($5::timestamptz is null or (c.event_time, c.event_id) > ($5, $6::uuid))
        and u.cost_override is null and ($4::text is null or u.model = $4 or c.model_slug = $4)
      group by c.event_time, c.event_id order by c.event_time, c.event_id limit $7) standing
    join usage_event e on e.organization_id = $1 and e.id = standing.event_id) page
    where number = 1 or bytes_so_far <= ${REPRICE_BYTES} order by number`,
    [organizationId, order.start, order.end, order.model, after?.eventTime ?? null, after?.eventId ?? null, max],
  );
  return rows.map(standingCost);
}

/**
 * The next events that a repricing corrected, with what stands of its differences as `parts`: one that began again has several of an
 * event, and its revert may have taken back some already.
 */
export async function readCorrections(
  em: EntityManager,
  organizationId: string,
  repricingId: string,
  revertId: string,
  order: RepricingOrder,
  after: DonePlace,
  max: number,
): Promise<StandingCost[]> {
  const rows = await query<StandingRow>(
    em,
    `
    select * from (select corrected.*, ${PRICEABLE_COLUMNS}, ${within('corrected')},
      (select max(sequence) from cost_entry l where l.organization_id = $1 and l.event_id = corrected.event_id) as sequence,
      (select pricing_context from cost_entry l
       where l.organization_id = $1 and l.event_id = corrected.event_id and l.sequence = 0) as counted_context
    from (
      select c.event_id, c.event_time, min(c.model_slug) as model_slug, min(c.provider_slug) as provider_slug, ${SUMS}
      from cost_entry c
      where c.organization_id = $1 and c.repricing_id in ($2, $8) and c.event_time >= greatest($3::timestamptz, $5::timestamptz) and c.event_time < $4
        and ($5::timestamptz is null or (c.event_time, c.event_id) > ($5, $6::uuid))
      group by c.event_time, c.event_id order by c.event_time, c.event_id limit $7) corrected
    join usage_event e on e.organization_id = $1 and e.id = corrected.event_id) page
    where number = 1 or bytes_so_far <= ${REPRICE_BYTES} order by number`,
    [
      organizationId,
      repricingId,
      order.start,
      order.end,
      after?.eventTime ?? null,
      after?.eventId ?? null,
      max,
      revertId,
    ],
  );
  return rows.map(standingCost);
}

/** Whether events that a repricing corrected were corrected again since, by another. */
export async function isCorrectedAgain(
  em: EntityManager,
  organizationId: string,
  repricingId: string,
  order: RepricingOrder,
): Promise<boolean> {
  const { again } = await queryOne<{ again: boolean }>(
    em,
    `
    select exists (
      select 1 from cost_entry c join cost_entry later
        on later.organization_id = c.organization_id and later.event_id = c.event_id and later.sequence > c.sequence
          and later.repricing_id is distinct from c.repricing_id
      where c.organization_id = $1 and c.repricing_id = $2 and c.event_time >= $3 and c.event_time < $4) as again`,
    [organizationId, repricingId, order.start, order.end],
  );
  return again;
}

export interface Correction {
  readonly standing: StandingCost;
  /** The differences. */
  readonly parts: CostParts;
  readonly entry: Pick<
    NewCostEntry,
    | 'rateCardId'
    | 'rateCardVersionId'
    | 'tierAbove'
    | 'matchRule'
    | 'explanation'
    | 'pricingContext'
    | 'unknownContext'
    | 'reading'
    | 'cause'
  >;
}

/** Appends to the ledger, tells followers, and moves the hour counters. */
export async function appendCorrections(
  em: EntityManager,
  organizationId: string,
  repricingId: string,
  corrections: readonly Correction[],
  at: Date,
): Promise<void> {
  const { entries, facts, hours } = bookLate(
    {
      entries: corrections.map(({ standing, parts, entry }) => ({
        eventId: standing.event.id,
        sequence: standing.sequence + 1,
        livemode: true,
        eventTime: standing.event.eventTime,
        costs: costTexts(parts),
        modelSlug: standing.modelSlug,
        providerSlug: standing.providerSlug,
        repricingId,
        ...entry,
      })),
      facts: corrections.map(({ standing, parts }) =>
        costFact({
          event: standing.event,
          sequence: standing.sequence + 1,
          costs: costTexts(parts),
          modelSlug: standing.modelSlug,
          pricingContext: standing.countedContext,
          provider: providerIdentity(standing.event.provider, standing.providerSlug, null),
        }),
      ),
      hours: corrections.map(({ standing, parts }) => ({ atMs: standing.event.eventTimeMs, totalCost: parts.total })),
    },
    await findClosedUntil(em, organizationId),
  );
  await insertCostEntries(em, organizationId, at, entries);
  await publishBatches(em, [{ organizationId, facts, endUsers: [] }]);
  // Under the time that they are booked at, as facts have it.
  await forgetProfiles(em, organizationId, [...new Set(facts.map(({ eventTime }) => eventTime))]);
  await addToCostHours(em, organizationId, hours);
}

export interface RepricedDay {
  readonly modelSlug: string;
  readonly day: string;
  readonly events: number;
  readonly difference: Money;
}

/** What a repricing has changed, by model and UTC day. */
export async function sumCorrections(
  em: EntityManager,
  organizationId: string,
  repricingId: string,
  order: RepricingOrder,
): Promise<RepricedDay[]> {
  await liftTimeLimit(em);
  const rows = await query<Omit<RepricedDay, 'difference'> & { difference: string }>(
    em,
    `
    select model_slug, day, count(*)::int as events, sum(total_cost)::text as difference
    from (
      select min(c.model_slug) as model_slug, to_char(c.event_time at time zone 'UTC', 'YYYY-MM-DD') as day, sum(c.total_cost) as total_cost
      from cost_entry c where c.organization_id = $1 and c.repricing_id = $2 and c.event_time >= $3 and c.event_time < $4
      group by c.event_time, c.event_id having ${COST_COLUMNS.map(({ name }) => `sum(c.${name}) <> 0`).join(' or ')}) changed
    group by 1, 2 order by 1, 2`,
    [organizationId, repricingId, order.start, order.end],
  );
  return rows.map((row) => ({ ...row, difference: money(row.difference) }));
}

/** Where an event stands on its page, and the metadata up to there: a page is bounded in bytes, or fat events would be too many. */
function within(rows: string): string {
  const turn = `over (order by ${rows}.event_time, ${rows}.event_id)`;
  return `row_number() ${turn} as number, sum(coalesce(octet_length(e.metadata::text), 0)) ${turn} as bytes_so_far`;
}

const SUMS = COST_COLUMNS.map(({ name }) => `sum(c.${name})::text as ${name}`).join(', ');

type StandingRow = PriceableRow &
  CostTexts & { sequence: number; modelSlug: string; providerSlug: string; countedContext: string };

function standingCost(row: StandingRow): StandingCost {
  return {
    event: toPriceableEvent(row),
    sequence: row.sequence,
    modelSlug: row.modelSlug,
    providerSlug: row.providerSlug,
    countedContext: row.countedContext,
    parts: toCostParts(row),
  };
}
