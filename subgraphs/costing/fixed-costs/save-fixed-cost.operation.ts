/**
 * Creates a fixed cost or replaces its terms. Its days are allocated in the background; days that were allocated with
 * other terms get differences.
 */
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { FixedCostSaveInput } from '../resolvers.generated.ts';
import { type FixedCostView, toFixedCostView } from './fixed-cost-view.ts';
import { parseFixedCost } from './parse-fixed-cost.ts';
import { writeFixedCost } from './write-fixed-cost.step.ts';

/** Fails with `VALIDATION_ERROR`. */
export async function saveFixedCost(context: SubgraphContext, input: FixedCostSaveInput): Promise<FixedCostView> {
  const organizationId = organizationOf(context);
  const at = now();
  const terms = parseFixedCost(input, at.toISOString().slice(0, 10));
  return context.database.write(organizationId, async (tx) => {
    const { before, saved } = await writeFixedCost(tx, organizationId, terms.key, at, () => terms);
    await recordAudit(tx, {
      organizationId,
      at,
      action: before === null ? 'fixed_cost.created' : 'fixed_cost.changed',
      ...actorOf(context.principal),
      subjectId: saved.id,
      detail: `${saved.name} (${saved.key})`,
    });
    return toFixedCostView(saved);
  });
}
