/** `books allowances`: how much the organization, end users and agents may spend, and what is left of it. */
import { defineRead, extRead } from '../define-read.ts';
import type { Sheet } from '../sheet.ts';

interface Allowances {
  readonly items: readonly {
    readonly subject: string;
    readonly subject_id: string | null;
    readonly period: string;
    readonly policy: string;
    readonly amount: string;
    readonly held: string;
    readonly spent: string;
    readonly left: string;
    readonly used_percent: number | null;
  }[];
  readonly page_info: { readonly has_next_page: boolean };
}

const ALLOWANCES = 500;

export const allowances = defineRead({
  name: 'allowances',
  summary: 'Allowances, with the amounts spent, held and left in the current period',
  toRead: () => extRead<Allowances>('/allowances', { first: ALLOWANCES }, toSheet),
});

function toSheet({ items, page_info: page }: Allowances): Sheet {
  return {
    facts: [],
    columns: [
      { name: 'subject', title: 'For', kind: 'text' },
      { name: 'subject_id', title: 'Id', kind: 'text' },
      { name: 'period', title: 'Period', kind: 'text' },
      { name: 'policy', title: 'If it is used up', kind: 'text' },
      { name: 'amount', title: 'Amount, USD', kind: 'amount' },
      { name: 'spent', title: 'Spent', kind: 'amount' },
      { name: 'held', title: 'Held', kind: 'amount' },
      { name: 'left', title: 'Left', kind: 'amount' },
      { name: 'used_percent', title: 'Used', kind: 'percent' },
    ],
    rows: items.map((item) => ({
      ...item,
      subject: item.subject.toLowerCase().replaceAll('_', ' '),
      subject_id: item.subject_id ?? '',
      period: item.period.toLowerCase(),
      policy: item.policy.toLowerCase(),
    })),
    remarks: [
      ...(items.length === 0 ? ['No allowances'] : []),
      ...(page.has_next_page ? [`Only the first ${items.length} allowances are shown.`] : []),
    ],
  };
}
