/** `books credits`: provider credits and prepayments: what they paid for, and what is left. */
import { defineRead, extRead } from '../define-read.ts';
import { formatAmount } from '../format-value.ts';
import type { Sheet } from '../sheet.ts';

interface Credits {
  readonly provider_credits: readonly {
    readonly kind: 'CREDIT' | 'PREPAYMENT';
    readonly name: string;
    readonly provider: string;
    readonly amount: string;
    readonly until: string | null;
    readonly used: string;
    readonly expired: string;
    readonly left: string;
    readonly forecast: { readonly used_up_on: string | null; readonly expires_unused: string | null } | null;
  }[];
}

export const credits = defineRead({
  name: 'credits',
  summary: 'Provider credits and prepayments: used, left, and when they end',
  toRead: () => extRead<Credits>('/provider-credits', {}, toSheet),
});

function toSheet({ provider_credits: found }: Credits): Sheet {
  return {
    facts: [],
    columns: [
      { name: 'name', title: 'Credit', kind: 'text' },
      { name: 'provider', title: 'Provider', kind: 'text' },
      { name: 'kind', title: 'Kind', kind: 'text' },
      { name: 'amount', title: 'Amount, USD', kind: 'amount' },
      { name: 'used', title: 'Used', kind: 'amount' },
      { name: 'expired', title: 'Expired', kind: 'amount' },
      { name: 'left', title: 'Left', kind: 'amount' },
      { name: 'until', title: 'Until', kind: 'text' },
      { name: 'forecast', title: 'Forecast', kind: 'text' },
    ],
    rows: found.map(({ forecast, until, kind, name, provider, amount, used, expired, left }) => ({
      name,
      provider,
      kind: kind.toLowerCase(),
      amount,
      used,
      expired,
      left,
      until: until ?? '',
      forecast: forecastText(forecast),
    })),
    remarks: found.length === 0 ? ['No credits'] : [],
  };
}

function forecastText(forecast: Credits['provider_credits'][number]['forecast']): string {
  if (forecast === null) return '';
  if (forecast.used_up_on !== null) return `used up on ${forecast.used_up_on}`;
  return forecast.expires_unused === null ? 'lasts' : `${formatAmount(forecast.expires_unused)} USD expire`;
}
