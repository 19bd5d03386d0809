/** Finds the next days of an organization's ledger that one verification request can check. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { VerificationDays } from '../resolvers.generated.ts';
import { findLedgerDays } from './ledger-days.query.ts';
import { parseLedgerDay } from './parse-ledger-day.ts';

/** Maximum number of events of the returned days together. A single day may have more. */
const EVENTS_MAX = 100_000;

/** Fails with `VALIDATION_ERROR` if `afterDay` is not a day. */
export function getVerificationDays(context: SubgraphContext, afterDay: string | null): Promise<VerificationDays> {
  const organizationId = organizationOf(context);
  const after = afterDay === null ? null : parseLedgerDay({ organizationId, day: afterDay });
  return context.database.system(async (tx) => {
    const { days, through } = await findLedgerDays(tx, organizationId, after, EVENTS_MAX);
    return { first: days[0]?.day ?? null, last: through?.day ?? null };
  });
}
