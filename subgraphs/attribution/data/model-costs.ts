/** Sums by provider and model. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { MODEL_KEY } from '../rules/rolled-keys.ts';
import type { Span } from '../rules/split-window.ts';
import { MEASURE_COLUMNS, MEASURE_SUMS, type MeasureRow } from './measure.ts';
import { readFromFacts, readWindow, type WindowStatement } from './read-window.ts';

export interface ModelCostRow extends MeasureRow {
  readonly provider_slug: string;
  readonly model_slug: string;
}

const STATEMENT: WindowStatement = {
  columns: ['value', ...MEASURE_COLUMNS],
  text: (rows) => `
    select value::jsonb ->> 1 as provider_slug, value::jsonb ->> 3 as model_slug, ${MEASURE_SUMS}
    from (select value, ${MEASURE_SUMS} from ${rows} as part group by value) as grouped group by 1, 2`,
  order: 'total_cost desc, model_slug collate "C", provider_slug collate "C"',
};

/** Costliest first. */
export function readModelCosts(em: EntityManager, organizationId: string, window: Span): Promise<ModelCostRow[]> {
  return readWindow<ModelCostRow>(em, { organizationId, key: MODEL_KEY, window }, STATEMENT);
}

/** The same of one end user; there are too many of them for rollups of their own. */
export function readModelCostsOfEndUser(
  em: EntityManager,
  organizationId: string,
  endUserId: string,
  window: Span,
): Promise<ModelCostRow[]> {
  return readFromFacts<ModelCostRow>(
    em,
    { organizationId, key: MODEL_KEY, window },
    { ...STATEMENT, parameters: [endUserId] },
    'end_user_id = $5',
  );
}
