/** Values of a metadata key in a window, registered or not. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { readValues } from './value-costs.query.ts';
import { checkDimensionKey } from '../dimensions/check-dimension.ts';
import type { Window } from '#kernel/time/window.ts';

/** The values of a key, sorted by code point. Fails with `VALIDATION_ERROR` for an invalid key. */
export async function listDimensionValues(context: SubgraphContext, window: Window, key: string): Promise<string[]> {
  const organizationId = organizationOf(context);
  checkDimensionKey(key);
  return context.database.snapshot(organizationId, (tx) => readValues(tx, { organizationId, key, window }));
}
