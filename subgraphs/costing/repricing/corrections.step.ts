/** Corrections of the ledger: appends differences with all their effects, and sums up the changes of a repricing. */
import type { OrganizationId } from '#kernel/ids.ts';
import { type Money, money } from '#kernel/money.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import { statement } from '#platform/database/statement.ts';
import type { ChargeLine } from '#schema/priced-feed.ts';
import type { TokenCounts } from '#schema/token-classes.ts';
import { costFact } from '../feed/cost-fact.ts';
import { providerIdentity } from '../rates/matching/provider-identity.ts';
import { COST_COLUMNS, insertCostEntries, type NewCostEntry } from '../ledger/cost-entry.table.ts';
import { type CostParts, costTexts } from '../ledger/cost-parts.ts';
import { settleHolds } from '../holds/settle-holds.step.ts';
import { bookLate } from '../ledger/book-late.ts';
import { findClosedUntil } from '../ledger/cost-closing.table.ts';
import { addToCostHours } from '../ledger/cost-hour.table.ts';
import { quantityOf } from '../pricing-queue/price-batch.ts';
import { publishBatches } from '../feed/priced-batch.table.ts';
import { invalidateProfiles } from '../simulation/usage-profile-day.table.ts';
import type { RepricingOrder } from './repricing.table.ts';
import type { StandingCost } from './standing-costs.query.ts';

const IS_CORRECTED_AGAIN = statement<
  { again: boolean },
  {
    readonly organizationId: OrganizationId;
    readonly repricingId: string;
    readonly start: string;
    readonly end: string;
  }
>(`
    select exists (
      select 1 from cost_entry c join cost_entry later
        on later.organization_id = c.organization_id and later.event_id = c.event_id and later.sequence > c.sequence
          and later.repricing_id is distinct from c.repricing_id and later.cause <> 'reported'
      where c.organization_id = :organizationId and c.repricing_id = :repricingId and c.event_time >= :start and c.event_time < :end) as again`);

/** True if events corrected by a repricing were corrected again by a later one. */
export async function isCorrectedAgain(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  repricingId: string,
  order: RepricingOrder,
): Promise<boolean> {
  const { again } = await tx.one(IS_CORRECTED_AGAIN, {
    organizationId,
    repricingId,
    start: order.start,
    end: order.end,
  });
  return again;
}

export interface Correction {
  readonly standing: StandingCost;
  /** The cost differences. */
  readonly parts: CostParts;
  /** The cost differences by class. */
  readonly charges: readonly ChargeLine[];
  /** Token differences, if a later report replaced the counts. */
  readonly tokens?: TokenCounts;
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

/** Appends to the ledger, publishes to consumers, and updates the hour counters. Test events only have entries. */
export async function appendCorrections(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  repricingId: string | null,
  corrections: readonly Correction[],
  at: Date,
): Promise<void> {
  const live = corrections.filter(({ standing }) => standing.event.livemode);
  const { entries, facts, hours } = bookLate(
    {
      entries: corrections.map(({ standing, parts, entry }) => ({
        eventId: standing.event.id,
        sequence: standing.sequence + 1,
        livemode: standing.event.livemode,
        eventTime: standing.event.eventTime,
        costs: costTexts(parts),
        modelSlug: standing.modelSlug,
        providerSlug: standing.providerSlug,
        repricingId,
        ...entry,
      })),
      facts: live.map(({ standing, parts, charges, tokens }) =>
        costFact({
          event: standing.event,
          sequence: standing.sequence + 1,
          costs: costTexts(parts),
          charges,
          modelSlug: standing.modelSlug,
          pricingContext: standing.countedContext,
          provider: providerIdentity(standing.event.provider, standing.providerSlug, null),
          tokens: tokens ?? null,
        }),
      ),
      hours: live.map(({ standing, parts, tokens }) => ({
        atMs: standing.event.eventTimeMs,
        totalCost: parts.total,
        ...(tokens === undefined ? {} : { quantity: quantityOf(tokens) }),
      })),
    },
    await findClosedUntil(tx, organizationId),
  );
  await insertCostEntries(tx, organizationId, at, entries);
  await publishBatches(tx, [{ organizationId, facts, endUsers: [] }]);
  // Facts have the booked time; new counts affect the profile of the event's own day.
  const revised = live.flatMap(({ standing, tokens }) => (tokens === undefined ? [] : standing.event.eventTime));
  await invalidateProfiles(tx, organizationId, [...new Set([...facts.map(({ eventTime }) => eventTime), ...revised])]);
  await settleHolds(tx, [
    {
      organizationId,
      entries: () => entries.map((entry, index) => ({ entry, event: corrections[index]!.standing.event })),
    },
  ]);
  await addToCostHours(tx, organizationId, hours);
}

export interface RepricedDay {
  readonly modelSlug: string;
  readonly day: string;
  readonly events: number;
  readonly difference: Money;
}

const SUM_CORRECTIONS = statement<
  Omit<RepricedDay, 'difference'> & { difference: string },
  {
    readonly organizationId: OrganizationId;
    readonly repricingId: string;
    readonly start: string;
    readonly end: string;
  }
>(`
    select model_slug, day, count(*)::int as events, sum(total_cost)::text as difference
    from (
      select min(c.model_slug) as model_slug, to_char(c.event_time at time zone 'UTC', 'YYYY-MM-DD') as day, sum(c.total_cost) as total_cost
      from cost_entry c where c.organization_id = :organizationId and c.repricing_id = :repricingId and c.event_time >= :start and c.event_time < :end
      group by c.event_time, c.event_id having ${COST_COLUMNS.map(({ name }) => `sum(c.${name}) <> 0`).join(' or ')}) changed
    group by 1, 2 order by 1, 2`);

/** The changes of a repricing, by model and UTC day. */
export async function sumCorrections(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  repricingId: string,
  order: RepricingOrder,
): Promise<RepricedDay[]> {
  await liftTimeLimit(tx);
  const rows = await tx.all(SUM_CORRECTIONS, { organizationId, repricingId, start: order.start, end: order.end });
  return rows.map((row) => ({ ...row, difference: money(row.difference) }));
}
