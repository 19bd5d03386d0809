/** Returns the changes of a repricing or a revert so far. */
import { fail } from '#kernel/errors.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { sumCorrections } from './corrections.step.ts';
import { type Repricing, repricingOf } from './repricing-result.ts';
import { findRepricing } from './repricing.table.ts';

/** Fails with `NOT_FOUND` for an unknown repricing. */
export function getRepricing(context: SubgraphContext, id: string): Promise<Repricing> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const order = isUuid(id) ? await findRepricing(tx, organizationId, id) : null;
    return repricingOf(
      id,
      await sumCorrections(tx, organizationId, id, order ?? fail('NOT_FOUND', 'Unknown repricing')),
    );
  });
}
