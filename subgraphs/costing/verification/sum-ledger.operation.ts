/** Returns ledger totals of days to a consumer, for comparison with its facts. */
import type { LedgerDaySums } from '#schema/ledger-days.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { readHeads, sumLedgerDays } from './ledger-days.query.ts';
import { parseLedgerDays } from './parse-ledger-day.ts';

/** Each day has the number of its feed's last batch (`head`). Fails with `VALIDATION_ERROR` for invalid days. */
export function sumLedger({ database }: SubgraphContext, days: unknown): Promise<LedgerDaySums[]> {
  const wanted = parseLedgerDays(days);
  return database.system(async (tx) => {
    const sums = await sumLedgerDays(tx, wanted);
    // Read after the sums, when everything that the sums contain is published.
    const heads = await readHeads(tx, [...new Set(wanted.map(({ organizationId }) => organizationId))]);
    const headOf = new Map(heads.map(({ organizationId, head }) => [organizationId, head]));
    return sums.map((each) => ({ ...each, head: headOf.get(each.organizationId) ?? 0 }));
  });
}
