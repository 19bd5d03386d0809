/** Lists the credits that providers gave, with their remaining amounts. */
import { addDays } from '#kernel/time/utc-day.ts';
import { requireInstant } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { settledUntil } from '../provider-costs/settled-days.ts';
import { restOf, toCreditView } from './credit-view.ts';
import { forecastCredits, HISTORY_DAYS } from './forecast-credits.ts';
import { listCreditDays } from './provider-credit-day.table.ts';
import { NO_SUMS, readCreditSums } from './provider-credit-entry.table.ts';
import { listCreditRows } from './provider-credit.table.ts';

/** Credits by provider and first day. With `asOf`, as computed at that instant and without forecasts. */
export function listProviderCredits(context: SubgraphContext, asOf: string | null = null) {
  const organizationId = organizationOf(context);
  const at = now();
  const from = settledUntil(at);
  const instant = asOf === null ? null : new Date(requireInstant('asOf', asOf).iso);
  return context.database.snapshot(organizationId, async (tx) => {
    const credits = (await listCreditRows(tx, organizationId)).filter(({ isRemoved }) => !isRemoved);
    if (credits.length === 0) return [];
    const sums = await readCreditSums(tx, organizationId, { asOf: instant });
    const sumsOf = (id: string) => sums.get(id) ?? NO_SUMS;
    const left = new Map(credits.map((credit) => [credit.id, restOf(credit, sumsOf(credit.id))]));
    const forecasts =
      asOf === null
        ? forecastCredits(credits, left, await listCreditDays(tx, organizationId, addDays(from, -HISTORY_DAYS)), from)
        : null;
    const today = at.toISOString().slice(0, 10);
    return credits.map((credit) =>
      toCreditView(credit, { sums: sumsOf(credit.id), forecast: forecasts?.get(credit.id) ?? null }, today),
    );
  });
}
