/** `books agents`: the cost of each agent. */
import { apiRead, defineRead } from '../define-read.ts';
import { rangeOfArgs } from '../resolve-window.ts';
import type { Row } from '../sheet.ts';
import { formatAmount, formatValue } from '../format-value.ts';

interface Agents {
  readonly items: readonly Row[];
  readonly total_cost: string;
  readonly total_groups: number;
  readonly truncated: boolean;
}

export const agents = defineRead({
  name: 'agents',
  summary: 'Costs by agent, highest first',
  toRead: (args, now) =>
    apiRead('/attribution-data/by-agent', rangeOfArgs(args, now), (body: Agents) => ({
      facts: [
        ['Total', `${formatAmount(body.total_cost)} USD`],
        ['Agents', formatValue(body.total_groups, 'count')],
      ],
      columns: [
        { name: 'attribution_value', title: 'Agent', kind: 'text' },
        { name: 'total_cost', title: 'Cost, USD', kind: 'amount' },
        { name: 'percent_of_total', title: 'Share', kind: 'percent' },
        { name: 'event_count', title: 'Events', kind: 'count' },
        { name: 'input_tokens', title: 'Input tokens', kind: 'count' },
        { name: 'output_tokens', title: 'Output tokens', kind: 'count' },
      ],
      rows: body.items,
      remarks: body.truncated ? [`Only the ${body.items.length} most expensive agents are shown.`] : [],
    })),
});
