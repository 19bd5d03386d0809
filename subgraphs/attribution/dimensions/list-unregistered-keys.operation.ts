/** Metadata keys that events send but that are not registered as dimensions. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { UnregisteredKey } from '../resolvers.generated.ts';
import { isBuiltIn } from '../measures/rollup-keys.ts';
import { listDimensions } from './dimension.table.ts';
import { listSeenKeys } from './seen-keys.query.ts';

/** Limits that keep the request below one second. */
const EVENTS_MAX = 20_000;
const KEYS_MAX = 200;
/** This key identifies the end user and is not a dimension. */
const END_USER_KEY = 'user_id';
const PRICING_PREFIX = 'pricing.';

export async function listUnregisteredKeys(context: SubgraphContext): Promise<UnregisteredKey[]> {
  const organizationId = organizationOf(context);
  const { seen, registered } = await context.database.write(organizationId, async (tx) => ({
    seen: await listSeenKeys(tx, organizationId, { eventsMax: EVENTS_MAX, keysMax: KEYS_MAX }),
    registered: new Set((await listDimensions(tx, organizationId, false)).map(({ key }) => key)),
  }));
  return seen.filter(
    ({ key }) => !registered.has(key) && !isBuiltIn(key) && key !== END_USER_KEY && !key.startsWith(PRICING_PREFIX),
  );
}
