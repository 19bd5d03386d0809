/** `books outcomes`: cost per completed task, failed attempts included. */
import { anyText } from '../../kit/flags.ts';
import { UsageError } from '../../kit/usage-error.ts';
import { defineRead, extRead } from '../define-read.ts';
import { formatAmount, formatValue } from '../format-value.ts';
import { rangeOfArgs } from '../resolve-window.ts';
import type { Row, Sheet } from '../sheet.ts';

const GROUPINGS = ['name', 'agent', 'end_user', 'model'];

interface Figures {
  readonly count: number;
  readonly succeeded: number;
  readonly cost: string;
  readonly cost_per_success: string | null;
  readonly failed_cost_percent: number | null;
  readonly value_less_cost: string | null;
}

interface OutcomeCosts {
  readonly outcomes: {
    readonly groups: readonly { readonly value: string; readonly figures: Figures & Row }[];
    readonly total_groups: number;
    readonly total: Figures;
    readonly cost_without_outcome: string;
  };
}

export const outcomes = defineRead({
  name: 'outcomes',
  summary: 'Cost per completed task, failed attempts included',
  flags: {
    by: { form: anyText(GROUPINGS.join('|')), about: 'Default: name' },
    dimension: { form: anyText('KEY'), about: 'Group by a metadata key, instead of --by' },
    name: { form: anyText('NAME'), about: 'Only this outcome, such as ticket_resolved' },
  },
  toRead(args, now) {
    const [by, dimension, name] = ['by', 'dimension', 'name'].map((flag) => args.optional(flag));
    if (by != null && !GROUPINGS.includes(by)) throw new UsageError(`--by must be one of ${GROUPINGS.join(', ')}`);
    const body = {
      ...rangeOfArgs(args, now),
      ...(by == null ? {} : { group_by: by }),
      ...(dimension == null ? {} : { dimension }),
      ...(name == null ? {} : { name }),
    };
    return extRead<OutcomeCosts>('/outcome-costs', body, (costs) => toSheet(costs, dimension ?? by ?? 'name'));
  },
});

function toSheet({ outcomes: { groups, total_groups, total, cost_without_outcome } }: OutcomeCosts, by: string): Sheet {
  const { count, succeeded, cost, cost_per_success } = total;
  return {
    facts: [
      ['Completed', `${formatValue(succeeded, 'count')} of ${formatValue(count, 'count')}`],
      ['Cost', `${formatAmount(cost)} USD`],
      [
        'Cost per completed task',
        cost_per_success === null ? 'none completed' : `${formatAmount(cost_per_success)} USD`,
      ],
      ['Cost without an outcome', `${formatAmount(cost_without_outcome)} USD`],
    ],
    columns: [
      { name: 'value', title: by, kind: 'text' },
      { name: 'succeeded', title: 'Completed', kind: 'count' },
      { name: 'count', title: 'Attempts', kind: 'count' },
      { name: 'cost', title: 'Cost, USD', kind: 'amount' },
      { name: 'cost_per_success', title: 'Per completed task', kind: 'amount' },
      { name: 'failed_cost_percent', title: 'In failed attempts', kind: 'percent' },
      { name: 'value_less_cost', title: 'Value less cost', kind: 'amount' },
    ],
    rows: groups.map(({ value, figures }) => ({ ...figures, value })),
    remarks: total_groups > groups.length ? [`Only the ${groups.length} most expensive groups are shown.`] : [],
  };
}
