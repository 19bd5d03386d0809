/** Reads the current costs of priced events from the ledger: page by page for a repricing or a revert, or by id. */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { ChargeLine } from '#schema/priced-feed.ts';
import { statement } from '#platform/database/statement.ts';
import { REPRICE_BYTES } from '../config.ts';
import { chargesOfEntry, sumCharges } from '../ledger/charge-lines.ts';
import type { CostEntryLine } from '../ledger/cost-entry-explanation.ts';
import { COST_COLUMNS } from '../ledger/cost-entry.table.ts';
import { type CostParts, type CostTexts, toCostParts } from '../ledger/cost-parts.ts';
import {
  PRICEABLE_COLUMNS,
  type PriceableEvent,
  type PriceableRow,
  toPriceableEvent,
} from '../pricing/priceable-event.query.ts';
import type { RepricingCursor, RepricingOrder } from './repricing.table.ts';

/** A priced event and the sum of its entries. */
export interface StandingCost {
  readonly event: PriceableEvent;
  /** The highest sequence of its entries. */
  readonly sequence: number;
  readonly parts: CostParts;
  readonly charges: readonly ChargeLine[];
  /** The token convention of its latest entry. */
  readonly reading?: string | null;
  /** From the first entry: the event keeps the model, provider and pricing context under which it was counted. */
  readonly modelSlug: string;
  readonly providerSlug: string;
  readonly countedContext: string;
}

/** The next live events that a card priced, ordered by time and id. */
export async function readStandingCosts(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  order: RepricingOrder,
  after: RepricingCursor,
  max: number,
): Promise<StandingCost[]> {
  const rows = await tx.all(READ_STANDING_COSTS, {
    organizationId,
    start: order.start,
    end: order.end,
    model: order.model,
    eventTime: after?.eventTime ?? null,
    eventId: after?.eventId ?? null,
    max,
  });
  return rows.map(standingCost);
}

/**
 * The next events that a repricing corrected; `parts` is the current sum of its differences. A restarted repricing has
 * several per event, and a revert may already have undone some. Events that were reported again since are left out.
 */
export async function readCorrections(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  repricingId: string,
  revertId: string,
  order: RepricingOrder,
  after: RepricingCursor,
  max: number,
): Promise<StandingCost[]> {
  const rows = await tx.all(READ_CORRECTIONS, {
    organizationId,
    repricingId,
    start: order.start,
    end: order.end,
    eventTime: after?.eventTime ?? null,
    eventId: after?.eventId ?? null,
    max,
    revertId,
  });
  return rows.map(standingCost);
}

/** Current costs of the given events, if they were priced; includes test events. */
export async function readStandingCostsOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  eventIds: readonly EventId[],
): Promise<StandingCost[]> {
  const rows = await tx.all(READ_STANDING_COSTS_OF, { organizationId, eventIds });
  return rows.map(standingCost);
}

/** True if a later report replaced the event's counts after the entry, and thus determines its cost. */
function isReportedSince(entry: string): string {
  return `exists (
    select 1 from cost_entry reported where reported.organization_id = :organizationId and reported.event_id = ${entry}.event_id
      and reported.cause = 'reported' and reported.sequence > ${entry}.sequence)`;
}

/**
 * Position of an event on its page, and the metadata bytes up to it. Pages are limited in bytes, since events may be
 * large.
 */
function within(rows: string): string {
  const turn = `over (order by ${rows}.event_time, ${rows}.event_id)`;
  return `row_number() ${turn} as number, sum(coalesce(octet_length(e.metadata::text), 0)) ${turn} as bytes_so_far`;
}

const SUMS = [
  ...COST_COLUMNS.map(({ name }) => `sum(c.${name})::text as ${name}`),
  `json_agg(json_build_array(c.explanation -> 'charges', c.explanation -> 'lines', trim_scale(c.total_cost)::text) order by c.sequence) as charged`,
].join(', ');

const READ_CORRECTIONS = statement<
  StandingRow,
  {
    readonly organizationId: OrganizationId;
    readonly repricingId: string;
    readonly start: string;
    readonly end: string;
    readonly eventTime: string | null;
    readonly eventId: EventId | null;
    readonly max: number;
    readonly revertId: string;
  }
>(`
    select * from (select corrected.*, ${PRICEABLE_COLUMNS}, ${within('corrected')},
      (select max(sequence) from cost_entry l where l.organization_id = :organizationId and l.event_id = corrected.event_id) as sequence,
      (select pricing_context from cost_entry l
       where l.organization_id = :organizationId and l.event_id = corrected.event_id and l.sequence = 0) as counted_context
    from (
      select c.event_id, c.event_time, min(c.model_slug) as model_slug, min(c.provider_slug) as provider_slug, ${SUMS}
      from cost_entry c
      where c.organization_id = :organizationId and c.repricing_id in (:repricingId, :revertId) and c.event_time >= greatest(:start::timestamptz, :eventTime::timestamptz) and c.event_time < :end
        and not ${isReportedSince('c')}
        and (:eventTime::timestamptz is null or (c.event_time, c.event_id) > (:eventTime, :eventId::uuid))
      group by c.event_time, c.event_id order by c.event_time, c.event_id limit :max) corrected
    join usage_event e on e.organization_id = :organizationId and e.id = corrected.event_id) page
    where number = 1 or bytes_so_far <= ${REPRICE_BYTES} order by number`);

/** Model, provider and context of the first entry, the current token convention, and the sums. */
const FIRST_AND_SUMS = `
  max(c.sequence) as sequence, min(c.model_slug) filter (where c.sequence = 0) as model_slug,
  min(c.provider_slug) filter (where c.sequence = 0) as provider_slug,
  min(c.pricing_context) filter (where c.sequence = 0) as counted_context,
  (array_agg(c.reading order by c.sequence desc) filter (where c.reading is not null))[1] as reading, ${SUMS}`;

const READ_STANDING_COSTS_OF = statement<
  StandingRow,
  { readonly organizationId: OrganizationId; readonly eventIds: readonly EventId[] }
>(`
    select standing.*, ${PRICEABLE_COLUMNS} from (
      select c.event_id, ${FIRST_AND_SUMS}
      from cost_entry c where c.organization_id = :organizationId and c.event_id = any(:eventIds::uuid[]) group by c.event_id) standing
    join usage_event e on e.organization_id = :organizationId and e.id = standing.event_id order by e.id`);

const READ_STANDING_COSTS = statement<
  StandingRow,
  {
    readonly organizationId: OrganizationId;
    readonly start: string;
    readonly end: string;
    readonly model: string | null;
    readonly eventTime: string | null;
    readonly eventId: EventId | null;
    readonly max: number;
  }
>(`
    select * from (select standing.*, ${PRICEABLE_COLUMNS}, ${within('standing')} from (
      select c.event_id, c.event_time, ${FIRST_AND_SUMS}
      from cost_entry c join usage_event u on u.organization_id = c.organization_id and u.id = c.event_id
      where c.organization_id = :organizationId and c.livemode and c.event_time >= greatest(:start::timestamptz, :eventTime::timestamptz) and c.event_time < :end
        and (:eventTime::timestamptz is null or (c.event_time, c.event_id) > (:eventTime, :eventId::uuid))
        and u.cost_override is null and (:model::text is null or u.model = :model or c.model_slug = :model)
      group by c.event_time, c.event_id order by c.event_time, c.event_id limit :max) standing
    join usage_event e on e.organization_id = :organizationId and e.id = standing.event_id) page
    where number = 1 or bytes_so_far <= ${REPRICE_BYTES} order by number`);

type StandingRow = PriceableRow &
  CostTexts & {
    sequence: number;
    modelSlug: string;
    providerSlug: string;
    countedContext: string;
    reading?: string | null;
    charged: readonly (readonly [readonly ChargeLine[] | null, readonly CostEntryLine[], string])[];
  };

function standingCost(row: StandingRow): StandingCost {
  return {
    event: toPriceableEvent(row),
    sequence: row.sequence,
    modelSlug: row.modelSlug,
    providerSlug: row.providerSlug,
    countedContext: row.countedContext,
    parts: toCostParts(row),
    charges: sumCharges(
      row.charged.map(([charges, lines, totalCost]) =>
        chargesOfEntry({ charges, lines, totalCost }, row.countedContext),
      ),
    ),
    reading: row.reading ?? null,
  };
}
