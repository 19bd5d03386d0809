/** Filter and grouping of outcomes. A value that an outcome does not state is taken from its events. */
import { COST_GROUPINGS } from '#schema/cost-groupings.ts';
import { fail } from '#schema/errors.ts';
import { checkDimensionKey } from '../dimensions/check-dimension.ts';
import { UNASSIGNED } from '../measures/rollup-keys.ts';
import type { OutcomeFilter, OutcomeGrouping } from '../resolvers.generated.ts';

/** SQL over an outcome `o`, one of its facts `f`, and that fact's end user `u`; each may be missing. */
type GroupValue = (parameter: (value: unknown) => string) => string;

export interface OutcomeSelection {
  /** Null: one group of all outcomes. */
  readonly group: GroupValue | null;
  /** Name of the group's key, as in `CostGroupValue.key`. */
  readonly groupKey: string;
  readonly conditions: readonly { readonly value: GroupValue; readonly values: readonly string[] }[];
  /** False if the outcomes alone decide. */
  readonly readsEvents: boolean;
}

const AGENT = COST_GROUPINGS.AGENT.field;
const END_USER = 'end_user';
const NAMES_MAX = 100;

const VALUES: Readonly<Record<OutcomeGrouping, { readonly key: string; readonly value: GroupValue }>> = {
  NAME: { key: 'name', value: () => 'o.name' },
  AGENT: { key: AGENT, value: () => `coalesce(o.agent, f.dimensions ->> '${AGENT}', '${UNASSIGNED}')` },
  END_USER: { key: END_USER, value: () => `coalesce(o.end_user, u.external_id, '${UNASSIGNED}')` },
  MODEL: { key: 'model', value: () => `coalesce(f.model_slug, '${UNASSIGNED}')` },
};

const dimension =
  (key: string): GroupValue =>
  (parameter) => {
    const name = parameter(key);
    return `coalesce(o.metadata ->> ${name}::text, f.dimensions ->> ${name}::text, '${UNASSIGNED}')`;
  };

export interface OutcomeSelectionInput {
  readonly groupBy?: OutcomeGrouping | null | undefined;
  readonly groupByDimension?: string | null | undefined;
  readonly filter?: OutcomeFilter | null | undefined;
}

/** Fails with `VALIDATION_ERROR`. */
export function parseOutcomeSelection({ groupBy, groupByDimension, filter }: OutcomeSelectionInput): OutcomeSelection {
  if (groupBy && typeof groupByDimension === 'string')
    fail('VALIDATION_ERROR', 'Give either groupBy or groupByDimension, not both');
  if (typeof groupByDimension === 'string') checkDimensionKey(groupByDimension);
  const names = filter?.names ?? null;
  if (names !== null && (names.length === 0 || names.length > NAMES_MAX))
    fail('VALIDATION_ERROR', `names must hold 1 to ${NAMES_MAX} names`);
  const of = (key: OutcomeGrouping, values: readonly string[] | null | undefined) =>
    values ? [{ value: VALUES[key].value, values }] : [];
  return {
    group: typeof groupByDimension === 'string' ? dimension(groupByDimension) : groupBy ? VALUES[groupBy].value : null,
    groupKey: typeof groupByDimension === 'string' ? groupByDimension : groupBy ? VALUES[groupBy].key : '',
    conditions: [
      ...of('NAME', names),
      ...of('AGENT', filter?.agent == null ? null : [filter.agent]),
      ...of('END_USER', filter?.endUser == null ? null : [filter.endUser]),
      ...of('MODEL', filter?.model == null ? null : [filter.model]),
    ],
    readsEvents:
      typeof groupByDimension === 'string' ||
      (groupBy ?? 'NAME') !== 'NAME' ||
      [filter?.agent, filter?.endUser, filter?.model].some((value) => value != null),
  };
}
