/** Filter and grouping of outcomes. A value that an outcome does not state is taken from its events. */
import type { AddParameter } from '#platform/database/sql.ts';
import { COST_GROUPINGS } from '#schema/cost-groupings.ts';
import { fail } from '#kernel/errors.ts';
import { checkDimensionKey } from '../dimensions/check-dimension.ts';
import { UNASSIGNED } from '../measures/rollup-keys.ts';
import type { OutcomeFilter, OutcomeGrouping } from '../resolvers.generated.ts';

/** SQL over an outcome `o`, one of its facts `f`, and that fact's end user `u`; each may be missing. */
type GroupValue = (place: AddParameter) => string;

interface OutcomeGroup {
  /** As in `CostGroupValue.key`. */
  readonly key: string;
  readonly value: GroupValue;
}

export interface OutcomeSelection {
  /** Null: one group of all outcomes. */
  readonly group: OutcomeGroup | null;
  readonly conditions: readonly { readonly value: GroupValue; readonly values: readonly string[] }[];
  /** False if the outcomes alone decide. */
  readonly readsEvents: boolean;
}

const AGENT = COST_GROUPINGS.AGENT.field;
const END_USER = 'end_user';
const NAMES_MAX = 100;

const GROUPS: Readonly<Record<OutcomeGrouping, OutcomeGroup>> = {
  NAME: { key: 'name', value: () => 'o.name' },
  AGENT: { key: AGENT, value: () => `coalesce(o.agent, f.dimensions ->> '${AGENT}', '${UNASSIGNED}')` },
  END_USER: { key: END_USER, value: () => `coalesce(o.end_user, u.external_id, '${UNASSIGNED}')` },
  MODEL: { key: 'model', value: () => `coalesce(f.model_slug, '${UNASSIGNED}')` },
};

const dimension =
  (key: string): GroupValue =>
  (place) => {
    const name = place(key);
    return `coalesce(o.metadata ->> ${name}::text, f.dimensions ->> ${name}::text, '${UNASSIGNED}')`;
  };

export interface OutcomeSelectionInput {
  readonly groupBy?: OutcomeGrouping | null | undefined;
  readonly groupByDimension?: string | null | undefined;
  readonly filter?: OutcomeFilter | null | undefined;
}

/** Fails with `VALIDATION_ERROR`. */
export function parseOutcomeSelection({ groupBy, groupByDimension, filter }: OutcomeSelectionInput): OutcomeSelection {
  const group = groupOf(groupBy, groupByDimension);
  const names = filter?.names ?? null;
  if (names !== null && (names.length === 0 || names.length > NAMES_MAX))
    fail('VALIDATION_ERROR', `names must contain 1 to ${NAMES_MAX} names`);
  const of = (key: OutcomeGrouping, values: readonly string[] | null | undefined) =>
    values ? [{ value: GROUPS[key].value, values }] : [];
  return {
    group,
    conditions: [
      ...of('NAME', names),
      ...of('AGENT', filter?.agent == null ? null : [filter.agent]),
      ...of('END_USER', filter?.endUser == null ? null : [filter.endUser]),
      ...of('MODEL', filter?.model == null ? null : [filter.model]),
    ],
    readsEvents:
      (group !== null && group !== GROUPS.NAME) ||
      [filter?.agent, filter?.endUser, filter?.model].some((value) => value != null),
  };
}

function groupOf(
  groupBy: OutcomeGrouping | null | undefined,
  groupByDimension: string | null | undefined,
): OutcomeGroup | null {
  if (typeof groupByDimension !== 'string') return groupBy ? GROUPS[groupBy] : null;
  if (groupBy) fail('VALIDATION_ERROR', 'Give either groupBy or groupByDimension, not both');
  checkDimensionKey(groupByDimension);
  return { key: groupByDimension, value: dimension(groupByDimension) };
}
