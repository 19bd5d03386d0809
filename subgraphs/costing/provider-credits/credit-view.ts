/** GraphQL view of a provider's credit. */
import type { Amount } from '#kernel/money.ts';
import type { CreditForecast } from './forecast-credits.ts';
import type { ProviderCredit } from './provider-credit.ts';
import type { CreditSums } from './provider-credit-entry.table.ts';

export interface CreditFigures {
  readonly sums: CreditSums;
  readonly forecast: CreditForecast | null;
}

const KINDS = { credit: 'CREDIT', prepayment: 'PREPAYMENT' } as const;

/** `today`: a UTC day, `YYYY-MM-DD`. */
export function toCreditView(credit: ProviderCredit, { sums, forecast }: CreditFigures, today: string) {
  const { id, kind, name, providerSlug, models, classes, amount, fromDay, untilDay, burnOrder, changedAt } = credit;
  return {
    id,
    kind: KINDS[kind],
    name,
    provider: providerSlug,
    models: models && [...models],
    classes: classes && [...classes],
    amount,
    currency: 'USD',
    from: fromDay,
    until: untilDay,
    order: burnOrder,
    isInForce: fromDay <= today && (untilDay === null || today < untilDay),
    used: sums.burn,
    expired: sums.expiry,
    left: restOf(credit, sums),
    forecast: forecast && { usedUpOn: forecast.usedUpOn, expiresUnused: forecast.expiresUnused },
    changedAt,
  };
}

/** USD that remain after use and expiry. */
export function restOf({ amount }: Pick<ProviderCredit, 'amount'>, { burn, expiry }: CreditSums): Amount {
  return amount - burn - expiry;
}
