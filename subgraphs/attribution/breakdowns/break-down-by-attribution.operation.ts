/** Costs by the values of any metadata key, optionally only of events with a given value of another key. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { amount } from '#kernel/money.ts';
import { checkFirst } from '#kernel/page-cursor.ts';
import { GROUPS_MAX } from '../config.ts';
import { readFilteredValueCosts, readValueCosts } from './value-costs.query.ts';
import type { AttributionCosts } from '../resolvers.generated.ts';
import { checkDimensionKey } from '../dimensions/check-dimension.ts';
import { isKnownKey } from '../selections/check-selection.query.ts';
import { figures } from './figures.ts';
import type { Window } from '#kernel/time/window.ts';

export interface AttributionQuery {
  readonly key: string;
  readonly filterKey?: string | null | undefined;
  readonly filterValue?: string | null | undefined;
  /** From 1 to `GROUPS_MAX`. */
  readonly first: number;
}

/** The field of events that names the end user. It is not metadata: as a metadata key, it would have no values. */
const END_USER_FIELD = 'user_id';

/** Costliest first. Fails with `VALIDATION_ERROR` for an invalid key or limit. */
export async function breakDownByAttribution(
  context: SubgraphContext,
  window: Window,
  query: AttributionQuery,
): Promise<AttributionCosts> {
  const organizationId = organizationOf(context);
  const { key, first } = query;
  checkDimensionKey(key);
  checkFirst(first, GROUPS_MAX);
  const filter = filterOf(query);
  const input = { organizationId, key, window };
  const rows = await context.database.snapshot(organizationId, async (tx) => {
    for (const name of [key, filter?.key]) {
      if (name === END_USER_FIELD && !(await isKnownKey(tx, organizationId, name)))
        fail('VALIDATION_ERROR', `${END_USER_FIELD} is not a metadata key: use costs grouped by END_USER`);
    }
    return filter ? readFilteredValueCosts(tx, input, first, filter) : readValueCosts(tx, input, first);
  });
  const totalCost = amount(rows[0]?.populationCost ?? '0');
  const totalGroups = Number(rows[0]?.populationGroups ?? 0);
  return {
    items: rows.map((row) => ({ attributionValue: row.value, ...figures(row, totalCost) })),
    totalCost,
    totalGroups,
    truncated: totalGroups > rows.length,
  };
}

function filterOf({ filterKey, filterValue }: AttributionQuery): { key: string; value: string } | null {
  const hasKey = typeof filterKey === 'string';
  const hasValue = typeof filterValue === 'string';
  if (hasKey !== hasValue) fail('VALIDATION_ERROR', 'filterKey and filterValue must be given together');
  return hasKey && hasValue ? { key: filterKey, value: filterValue } : null;
}
