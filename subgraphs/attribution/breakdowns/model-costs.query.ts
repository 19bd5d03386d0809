/** Sums by provider and model. */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { MODEL_KEY } from '../measures/rollup-keys.ts';
import { wholeUnits } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';
import { noFactsAfter } from '../rollups/window-rows.query.ts';
import { factMeasure, MEASURE_COLUMNS, MEASURES, MEASURE_SUMS, type MeasureRow } from '../measures/measure.ts';
import { readWindow, type WindowStatement } from '../rollups/read-window.query.ts';

export interface ModelCostRow extends MeasureRow {
  readonly providerSlug: string;
  readonly modelSlug: string;
}

const ORDER = 'total_cost desc, model_slug collate "C", provider_slug collate "C"';

const STATEMENT: WindowStatement = {
  columns: ['value', ...MEASURE_COLUMNS],
  text: (rows) => `
    select value::jsonb ->> 1 as provider_slug, value::jsonb ->> 3 as model_slug, ${MEASURE_SUMS}
    from (select value, ${MEASURE_SUMS} from ${rows} as part group by value) as grouped group by 1, 2`,
  order: ORDER,
};

/** Costs by provider and model, costliest first. */
export function readModelCosts(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
): Promise<ModelCostRow[]> {
  return readWindow<ModelCostRow>(tx, { organizationId, key: MODEL_KEY, window }, STATEMENT);
}

type OfEndUser = Parameters<{
  organizationId: OrganizationId;
  endUserId: EndUserId;
  start: string;
  firstDay: string;
  dayAfter: string;
  end: string;
}>;

/**
 * From the facts, because there are too many end users for rollups of their own. The whole days of a large end user are
 * read from its sums, as is the day in which the window ends if no fact follows in it.
 */
const modelCostsOfEndUser = ({ organizationId, endUserId, start, firstDay, dayAfter, end }: OfEndUser) => {
  const isIts = sql`organization_id = ${organizationId} and end_user_id = ${endUserId}`;
  const facts = (from: RawBuilder<unknown>, until: RawBuilder<unknown>) => sql`
    select provider_slug, model_slug, ${sql.raw(MEASURE_COLUMNS.map(factMeasure).join(', '))} from cost_fact
    where ${isIts} and event_time >= ${from} and event_time < ${until}`;
  return sql<ModelCostRow>`
    with summed as materialized (
      select coalesce(max(from_day), ${end}::timestamptz) as from_day, coalesce(max(until), ${end}::timestamptz) as until from (
        select greatest(summed_from::timestamp at time zone 'UTC', ${firstDay}::timestamptz) as from_day,
          case when ${sql.raw(noFactsAfter('large.organization_id', 'given.until', 'day'))} then given.until else ${dayAfter}::timestamptz end as until
        from large_end_user large cross join (select ${end}::timestamptz as until) as given where ${isIts}) as days
      where from_day < until)
    select provider_slug, model_slug, ${sql.raw(MEASURE_SUMS)} from (
      ${facts(sql`${start}::timestamptz`, sql`(select from_day from summed)`)}
      union all
      select provider_slug, model_slug, ${sql.raw(MEASURES)} from end_user_model_day
      where ${isIts} and bucket >= (select from_day from summed) and bucket < (select until from summed)
      union all
      ${facts(sql`(select until from summed)`, sql`${end}::timestamptz`)}) as part
    group by 1, 2`;
};

const READ_MODEL_COSTS_OF_END_USER = statement(
  (input: OfEndUser) => sql<ModelCostRow>`${modelCostsOfEndUser(input)} order by ${sql.raw(ORDER)}`,
  { isPointRead: true },
);

/** Returns one row with a null model for an end user without costs. */
const READ_END_USER_WITH_MODEL_COSTS = statement(
  (input: OfEndUser) => sql<ModelCostRow | { readonly modelSlug: null }>`
    select costs.* from end_user left join (${modelCostsOfEndUser(input)}) as costs on true
    where end_user.organization_id = ${input.organizationId} and end_user.id = ${input.endUserId} order by ${sql.raw(ORDER)}`,
  { isPointRead: true },
);

function inputOf(organizationId: OrganizationId, endUserId: EndUserId, window: Window) {
  const days = wholeUnits(window, 'day');
  return {
    organizationId,
    endUserId,
    start: window.start.iso,
    firstDay: days.start.iso,
    dayAfter: days.end.iso,
    end: window.end.iso,
  };
}

/** One end user's costs by model. */
export function readModelCostsOfEndUser(
  tx: Transaction,
  organizationId: OrganizationId,
  endUserId: EndUserId,
  window: Window,
): Promise<ModelCostRow[]> {
  return tx.all(READ_MODEL_COSTS_OF_END_USER, inputOf(organizationId, endUserId, window));
}

/** One end user's costs by model; null if no event has named the end user. */
export async function readEndUserWithModelCosts(
  tx: Transaction,
  organizationId: OrganizationId,
  endUserId: EndUserId,
  window: Window,
): Promise<ModelCostRow[] | null> {
  const rows = await tx.all(READ_END_USER_WITH_MODEL_COSTS, inputOf(organizationId, endUserId, window));
  return rows.length === 0 ? null : rows.filter((row) => row.modelSlug !== null);
}
