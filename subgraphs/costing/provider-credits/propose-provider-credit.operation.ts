/** Computes what credits would have paid for if a credit were saved. Stores nothing. */
import { instantOf } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { LEDGER_ENTRIES_MAX } from '../config.ts';
import { hasMoreEntries } from '../ledger/ledger-costs.query.ts';
import { readDayCosts } from '../provider-costs/day-costs.query.ts';
import { settledUntil } from '../provider-costs/settled-days.ts';
import type { ProviderCreditSaveInput } from '../resolvers.generated.ts';
import { burnCredits } from './burn-credits.ts';
import { changeProviderCredit } from './change-provider-credit.step.ts';
import { restOf, toCreditView } from './credit-view.ts';
import { forecastCredits } from './forecast-credits.ts';
import { parseProviderCredit } from './parse-provider-credit.ts';
import { type CreditSums, NO_SUMS } from './provider-credit-entry.table.ts';

/** Fails like `providerCreditSave`, and with `UNPROCESSABLE_ENTITY` if the days of the credits have more than a million entries. */
export async function proposeProviderCredit(context: SubgraphContext, input: ProviderCreditSaveInput) {
  const organizationId = organizationOf(context);
  const at = now();
  const today = at.toISOString().slice(0, 10);
  const draft = parseProviderCredit(input, today);
  const until = settledUntil(at);
  return context.database.snapshot(organizationId, async (tx) => {
    const { changed, credits } = await changeProviderCredit(tx, organizationId, input.id ?? null, draft, at);
    const fromDay = credits.map((credit) => credit.fromDay).toSorted()[0]!;
    const window = { start: instantOf(new Date(fromDay)), end: instantOf(new Date(until)) };
    if (fromDay < until && (await hasMoreEntries(tx, { organizationId, window, asOf: null }, LEDGER_ENTRIES_MAX)))
      fail(
        'UNPROCESSABLE_ENTITY',
        `The days of the credits have more than ${LEDGER_ENTRIES_MAX} entries: save the credit without a preview`,
      );
    const providers = [...new Set(credits.map(({ providerSlug }) => providerSlug))];
    const days = fromDay < until ? await readDayCosts(tx, organizationId, providers, { fromDay, untilDay: until }) : [];
    const sums = new Map<string, CreditSums>();
    for (const { creditId, cause, amount } of burnCredits(credits, days)) {
      const before = sums.get(creditId) ?? NO_SUMS;
      sums.set(creditId, { ...before, [cause]: before[cause] + amount });
    }
    const sumsOf = (id: string) => sums.get(id) ?? NO_SUMS;
    const left = new Map(credits.map((credit) => [credit.id, restOf(credit, sumsOf(credit.id))]));
    const forecasts = forecastCredits(credits, left, days, until);
    const views = credits.map((credit) =>
      toCreditView(credit, { sums: sumsOf(credit.id), forecast: forecasts.get(credit.id) ?? null }, today),
    );
    return {
      credit: views.find(({ id }) => id === changed.id)!,
      others: views.filter(({ id }) => id !== changed.id),
    };
  });
}
