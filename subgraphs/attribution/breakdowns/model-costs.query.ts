/** Sums by provider and model. */
import { sql } from 'kysely';
import type { Transaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { MODEL_KEY } from '../measures/rollup-keys.ts';
import type { Window } from '#kernel/time/window.ts';
import { FACT_SUMS, MEASURE_COLUMNS, MEASURE_SUMS, type MeasureRow } from '../measures/measure.ts';
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

/** Costliest first. */
export function readModelCosts(tx: Transaction, organizationId: string, window: Window): Promise<ModelCostRow[]> {
  return readWindow<ModelCostRow>(tx, { organizationId, key: MODEL_KEY, window }, STATEMENT);
}

type OfEndUser = Parameters<{ organizationId: string; endUserId: string; start: string; end: string }>;

const modelCostsOfEndUser = ({ organizationId, endUserId, start, end }: OfEndUser) => sql<ModelCostRow>`
  select provider_slug, model_slug, ${sql.raw(FACT_SUMS)} from cost_fact
  where organization_id = ${organizationId} and end_user_id = ${endUserId} and event_time >= ${start}::timestamptz and event_time < ${end}::timestamptz
  group by 1, 2`;

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

/** One end user's costs by model, from the facts: there are too many end users for rollups of their own. */
export function readModelCostsOfEndUser(
  tx: Transaction,
  organizationId: string,
  endUserId: string,
  window: Window,
): Promise<ModelCostRow[]> {
  return tx.all(READ_MODEL_COSTS_OF_END_USER, {
    organizationId,
    endUserId,
    start: window.start.iso,
    end: window.end.iso,
  });
}

/** One end user's costs by model; null if no event has named the end user. */
export async function readEndUserWithModelCosts(
  tx: Transaction,
  organizationId: string,
  endUserId: string,
  window: Window,
): Promise<ModelCostRow[] | null> {
  const rows = await tx.all(READ_END_USER_WITH_MODEL_COSTS, {
    organizationId,
    endUserId,
    start: window.start.iso,
    end: window.end.iso,
  });
  return rows.length === 0 ? null : rows.filter((row) => row.modelSlug !== null);
}
