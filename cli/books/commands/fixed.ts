/** `books fixed`: fixed costs, and each end user's share of them. */
import { anyText } from '../../kit/flags.ts';
import { defineRead, extRead } from '../define-read.ts';
import { formatAmount } from '../format-value.ts';
import { rangeOfArgs } from '../resolve-window.ts';
import type { Sheet } from '../sheet.ts';

interface FixedCosts {
  readonly window: {
    readonly allocated_costs: {
      readonly total: string;
      readonly allocated: string;
      readonly unassigned: string;
      readonly idle: string;
      readonly unallocated: string;
      readonly replaced_cost: string;
      readonly end_users: readonly { readonly user_id: string; readonly amount: string }[];
      readonly total_end_users: number;
    };
    readonly adjustments: { readonly total: string };
  };
  readonly fixed_costs: readonly {
    readonly key: string;
    readonly name: string;
    readonly driver: string;
    readonly utilization: {
      readonly bought: string;
      readonly used: string;
      readonly idle: string | null;
      readonly percent: number | null;
      readonly model_cost: string;
      readonly break_even_percent: number | null;
      readonly list_break_even_percent: number | null;
    };
  }[];
}

export const fixed = defineRead({
  name: 'fixed',
  summary: 'Fixed costs: bought, used, idle, and the share of each customer',
  flags: {
    key: { form: anyText('KEY'), about: 'The share of each customer in this fixed cost, instead of the list of all' },
  },
  toRead(args, now) {
    const key = args.optional('key');
    const body = { ...rangeOfArgs(args, now), ...(key == null ? {} : { key }) };
    return extRead<FixedCosts>('/fixed-costs', body, key == null ? listSheet : carrierSheet);
  },
});

function factsOf({ window: { allocated_costs: sums, adjustments } }: FixedCosts): Sheet['facts'] {
  return [
    ['Fixed costs', `${formatAmount(sums.total)} USD`],
    ['Carried by customers', `${formatAmount(sums.allocated)} USD`],
    ['Events without a customer', `${formatAmount(sums.unassigned)} USD`],
    ['Idle', `${formatAmount(sums.idle)} USD`],
    ['Unallocated', `${formatAmount(sums.unallocated)} USD`],
    ...(sums.replaced_cost === '0'
      ? []
      : [['Replaced model costs', `${formatAmount(sums.replaced_cost)} USD`] as const]),
    ['Adjustments without a customer', `${formatAmount(adjustments.total)} USD`],
  ];
}

/** The second break-even is a column only if it differs from the first. */
function listSheet(costs: FixedCosts): Sheet {
  const differs = costs.fixed_costs.some(
    ({ utilization }) => utilization.list_break_even_percent !== utilization.break_even_percent,
  );
  return {
    facts: factsOf(costs),
    columns: [
      { name: 'key', title: 'Key', kind: 'text' },
      { name: 'name', title: 'Name', kind: 'text' },
      { name: 'driver', title: 'Divided by', kind: 'text' },
      { name: 'bought', title: 'Bought, USD', kind: 'amount' },
      { name: 'used', title: 'Used, USD', kind: 'amount' },
      { name: 'idle', title: 'Idle, USD', kind: 'amount' },
      { name: 'percent', title: 'Capacity used', kind: 'percent' },
      { name: 'model_cost', title: 'Model costs', kind: 'amount' },
      { name: 'break_even_percent', title: 'Break-even', kind: 'percent' },
      ...(differs ? [{ name: 'list_break_even_percent', title: 'At list prices', kind: 'percent' } as const] : []),
    ],
    rows: costs.fixed_costs.map(({ key, name, driver, utilization }) => ({
      ...utilization,
      key,
      name,
      driver: driver.toLowerCase(),
    })),
    remarks: costs.fixed_costs.length === 0 ? ['No fixed costs'] : [],
  };
}

function carrierSheet(costs: FixedCosts): Sheet {
  const { end_users, total_end_users } = costs.window.allocated_costs;
  return {
    facts: factsOf(costs),
    columns: [
      { name: 'user_id', title: 'Customer', kind: 'text' },
      { name: 'amount', title: 'Carries, USD', kind: 'amount' },
    ],
    rows: end_users.map(({ user_id, amount }) => ({ user_id, amount })),
    remarks: total_end_users > end_users.length ? [`Only the ${end_users.length} largest customers are shown.`] : [],
  };
}
