/** Sums by provider and model. */
import { sql } from 'kysely';
import type { Transaction } from '../../../platform/database/sql.ts';
import { type Parameters, run, statement } from '../../../platform/database/statement.ts';
import { MODEL_KEY } from '../measures/rollup-keys.ts';
import type { Window } from '../../../kernel/time/window.ts';
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

const READ_MODEL_COSTS_OF_END_USER = statement(
  (input: Parameters<{ organizationId: string; endUserId: string; start: string; end: string }>) => sql<ModelCostRow>`
    select provider_slug, model_slug, ${sql.raw(FACT_SUMS)} from cost_fact
    where organization_id = ${input.organizationId} and end_user_id = ${input.endUserId} and event_time >= ${input.start}::timestamptz and event_time < ${input.end}::timestamptz
    group by 1, 2 order by ${sql.raw(ORDER)}`,
);

/** The same of one end user, from the facts; there are too many of them for rollups of their own. */
export function readModelCostsOfEndUser(
  tx: Transaction,
  organizationId: string,
  endUserId: string,
  window: Window,
): Promise<ModelCostRow[]> {
  return run(tx, READ_MODEL_COSTS_OF_END_USER, {
    organizationId,
    endUserId,
    start: window.start.iso,
    end: window.end.iso,
  });
}
