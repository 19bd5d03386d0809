/** Verifies every rollup against the facts, and outcomes against their versions, for one organization or for all. */
import { parseDayRange } from '#kernel/time/day-range.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { DIFFERENCES_SHOWN_MAX } from '../config.ts';
import { compareOutcomes } from '../outcomes/compare-outcomes.query.ts';
import { compareRollups } from './compare-rollups.query.ts';
import { listOrganizations } from './rollup-key.table.ts';
import type { QueryVerifyAttributionArgs, VerificationCheck } from '../resolvers.generated.ts';

/**
 * Verifies the books of the caller's organization. An operator without one verifies all organizations, and each difference then starts with the
 * organization. `DAYS`: only the checks by day, for these days; `REST`: the other checks.
 */
export async function verifyRollups(
  context: SubgraphContext,
  { part = 'ALL', ...range }: Partial<QueryVerifyAttributionArgs> = {},
): Promise<VerificationCheck[]> {
  const days = parseDayRange(range);
  const { organizationId } = context.principal;
  const organizationIds = organizationId ? [organizationId] : await context.database.system(listOrganizations);
  const checks = new Map<string, VerificationCheck>();
  for (const id of organizationIds) {
    for (const { check, checked, differences } of await context.database.write(id, async (tx) => {
      await liftTimeLimit(tx);
      const rollups = await compareRollups(tx, id, { part, days }, DIFFERENCES_SHOWN_MAX);
      return part === 'DAYS' ? rollups : [...rollups, ...(await compareOutcomes(tx, id, DIFFERENCES_SHOWN_MAX))];
    })) {
      const known = checks.get(check) ?? { check, checked: 0, differences: [] };
      const named = organizationId ? differences : differences.map((difference) => `${id}: ${difference}`);
      checks.set(check, { check, checked: known.checked + checked, differences: [...known.differences, ...named] });
    }
  }
  return [...checks.values()];
}
