/** `books savings`: costs at list prices and as contracted, by provider and agreement. */
import { defineRead, extRead } from '../define-read.ts';
import { formatAmount } from '../format-value.ts';
import { rangeOfArgs } from '../resolve-window.ts';
import type { Sheet } from '../sheet.ts';

interface Figures {
  readonly list: string;
  readonly contracted: string;
  readonly savings: string;
}

interface Savings {
  readonly savings: Figures & {
    readonly lines: readonly (Figures & { readonly provider: string; readonly agreement: string | null })[];
  };
}

export const savings = defineRead({
  name: 'savings',
  summary: 'What agreements with providers saved',
  toRead: (args, now) => extRead<Savings>('/savings', rangeOfArgs(args, now), toSheet),
});

function toSheet({ savings: { list, contracted, savings: saved, lines } }: Savings): Sheet {
  return {
    facts: [
      ['At list prices', `${formatAmount(list)} USD`],
      ['As contracted', `${formatAmount(contracted)} USD`],
      ['Saved', `${formatAmount(saved)} USD`],
    ],
    columns: [
      { name: 'provider', title: 'Provider', kind: 'text' },
      { name: 'agreement', title: 'Agreement', kind: 'text' },
      { name: 'list', title: 'List, USD', kind: 'amount' },
      { name: 'contracted', title: 'Contracted', kind: 'amount' },
      { name: 'savings', title: 'Saved', kind: 'amount' },
    ],
    rows: lines.map(({ agreement, ...line }) => ({ ...line, agreement: agreement ?? 'no agreement' })),
    remarks: lines.length === 0 ? ['No costs'] : [],
  };
}
