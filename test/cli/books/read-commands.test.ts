/** Requests of the read commands, and how they print the responses. Every field of a response has a value of its own. */
import { describe, expect, it } from 'vitest';
import { agents } from '../../../cli/books/commands/agents.ts';
import { allowances } from '../../../cli/books/commands/allowances.ts';
import { commitments } from '../../../cli/books/commands/commitments.ts';
import { costs } from '../../../cli/books/commands/costs.ts';
import { credits } from '../../../cli/books/commands/credits.ts';
import { fixed } from '../../../cli/books/commands/fixed.ts';
import { margin } from '../../../cli/books/commands/margin.ts';
import { outcomes } from '../../../cli/books/commands/outcomes.ts';
import { savings } from '../../../cli/books/commands/savings.ts';
import { usage } from '../../../cli/books/commands/usage.ts';
import { whatif } from '../../../cli/books/commands/whatif.ts';
import type { ReadCommand } from '../../../cli/books/define-read.ts';
import { formatSheet } from '../../../cli/books/format-sheet.ts';
import { parseArgs } from '../../../cli/kit/parse-args.ts';

const NOW = new Date('2026-03-15T12:00:00Z');
const JANUARY = ['--start', '2026-01-01', '--end', '2026-02-01'];
const DATES = { start_date: '2026-01-01', end_date: '2026-02-01' };

function readOf(command: ReadCommand, words: readonly string[]) {
  return command.toRead(parseArgs(command.name, command.flags, words)!, NOW);
}

/** The lines without the rule below the heading; cells are separated by ` | `. */
function linesOf(command: ReadCommand, words: readonly string[], body: object): string[] {
  return formatSheet(readOf(command, words).layOut(body))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('─'))
    .map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));
}

const euros = (amount: string) => ({ amount, currency: 'EUR' });
const period = { from: '2026-01-01', until: '2026-02-01', spent: '1.5', left: '2.5', shortfall: '0' };
const ofPeriod = (fulfilled_on: string | null, forecast: object | null, more: object = {}) => ({
  ...{ ...period, fulfilled_on, forecast, ...more },
});
const credit = (name: string, more: object) => ({
  ...{ kind: 'CREDIT', name, provider: 'openai', amount: '10', until: null, used: '1', expired: '2', left: '7' },
  ...more,
});
const utilization = {
  bought: '60',
  used: '21',
  idle: '12',
  percent: 37.5,
  model_cost: '14',
  break_even_percent: 80.25,
};
const fixedCosts = (replaced_cost: string, total_end_users: number, list_break_even_percent: number) => ({
  window: {
    allocated_costs: {
      ...{ total: '60', allocated: '10', unassigned: '11', idle: '12', unallocated: '27', replaced_cost },
      ...{ end_users: [{ user_id: 'ann', amount: '10' }], total_end_users },
    },
    adjustments: { total: '13' },
  },
  fixed_costs: [
    { key: 'gpu', name: 'GPU', driver: 'EVENTS', utilization: { ...utilization, list_break_even_percent } },
  ],
});
const carried = [
  ...['Fixed costs | 60.0000 USD', 'Carried by customers | 10.0000 USD', 'Events without a customer | 11.0000 USD'],
  ...['Idle | 12.0000 USD', 'Unallocated | 27.0000 USD'],
];
const afterFixedCosts = (replaced_cost: string, total_count: number) => ({
  margin_after_fixed_costs: {
    ...{ revenue: '50', model_cost: '8', replaced_cost, fixed_cost: '30', shortfall_cost: '2', adjustment_cost: '3' },
    ...{ margin_amount: '8.5', margin_percent: 17, warnings: [{ message: 'A warning' }] },
    end_users: {
      total_count,
      nodes: [
        {
          ...{ name: 'Ann', revenue: '20', model_cost: '4', replaced_cost, allocated_cost: '6' },
          ...{ margin_amount: '10.5', margin_percent: 52.5 },
        },
      ],
    },
  },
});

describe('a response is printed', () => {
  it.each<[string, ReadCommand, readonly string[], object, readonly string[]]>([
    [
      'with the outcome of each period of a commitment',
      commitments,
      [],
      {
        commitments: [
          {
            ...{ name: 'E', provider: 'openai', amount: '10' },
            periods: [
              ofPeriod('2026-01-20', null),
              ofPeriod(null, null, { shortfall: '6' }),
              ofPeriod(null, null),
              ofPeriod(null, { fulfilled_on: '2026-01-25', missed_by: '0' }),
              ofPeriod(null, { fulfilled_on: null, missed_by: '4.25' }),
            ],
          },
        ],
      },
      [
        'Commitment | Provider | From | Until | Amount, USD | Spent | Left | Shortfall | Outcome',
        'E | openai | 2026-01-01 | 2026-02-01 | 10.0000 | 1.5000 | 2.5000 | 0.0000 | fulfilled on 2026-01-20',
        'E | openai | 2026-01-01 | 2026-02-01 | 10.0000 | 1.5000 | 2.5000 | 6.0000 | missed',
        'E | openai | 2026-01-01 | 2026-02-01 | 10.0000 | 1.5000 | 2.5000 | 0.0000',
        'E | openai | 2026-01-01 | 2026-02-01 | 10.0000 | 1.5000 | 2.5000 | 0.0000 | forecast: fulfilled on 2026-01-25',
        'E | openai | 2026-01-01 | 2026-02-01 | 10.0000 | 1.5000 | 2.5000 | 0.0000 | forecast: missed by 4.2500 USD',
      ],
    ],
    [
      'with the forecast of each credit',
      credits,
      [],
      {
        provider_credits: [
          credit('A', { until: '2027-01-01', forecast: { used_up_on: '2026-05-01', expires_unused: '0' } }),
          credit('B', { kind: 'PREPAYMENT', forecast: { used_up_on: null, expires_unused: '5.5' } }),
          credit('C', { forecast: { used_up_on: null, expires_unused: null } }),
          credit('D', { forecast: null }),
        ],
      },
      [
        'Credit | Provider | Kind | Amount, USD | Used | Expired | Left | Until | Forecast',
        'A | openai | credit | 10.0000 | 1.0000 | 2.0000 | 7.0000 | 2027-01-01 | used up on 2026-05-01',
        'B | openai | prepayment | 10.0000 | 1.0000 | 2.0000 | 7.0000 | 5.5000 USD expire',
        'C | openai | credit | 10.0000 | 1.0000 | 2.0000 | 7.0000 | lasts',
        'D | openai | credit | 10.0000 | 1.0000 | 2.0000 | 7.0000',
      ],
    ],
    [
      'with savings by agreement',
      savings,
      JANUARY,
      {
        savings: {
          ...{ list: '9', contracted: '7', savings: '2' },
          lines: [
            { provider: 'openai', agreement: 'E', list: '5', contracted: '4', savings: '1' },
            { provider: 'azure', agreement: null, list: '4', contracted: '3', savings: '1.25' },
          ],
        },
      },
      [
        ...['At list prices | 9.0000 USD', 'As contracted | 7.0000 USD', 'Saved | 2.0000 USD'],
        'Provider | Agreement | List, USD | Contracted | Saved',
        'openai | E | 5.0000 | 4.0000 | 1.0000',
        'azure | no agreement | 4.0000 | 3.0000 | 1.2500',
      ],
    ],
    [
      'with the break-even at list prices only if it differs',
      fixed,
      JANUARY,
      fixedCosts('0', 1, 80.25),
      [
        ...carried,
        'Adjustments without a customer | 13.0000 USD',
        'Key | Name | Divided by | Bought, USD | Used, USD | Idle, USD | Capacity used | Model costs | Break-even',
        'gpu | GPU | events | 60.0000 | 21.0000 | 12.0000 | 37.50% | 14.0000 | 80.25%',
      ],
    ],
    [
      'with both break-evens',
      fixed,
      JANUARY,
      fixedCosts('1.5', 1, 70.5),
      [
        ...[...carried, 'Replaced model costs | 1.5000 USD', 'Adjustments without a customer | 13.0000 USD'],
        'Key | Name | Divided by | Bought, USD | Used, USD | Idle, USD | Capacity used | Model costs | Break-even | At list prices',
        'gpu | GPU | events | 60.0000 | 21.0000 | 12.0000 | 37.50% | 14.0000 | 80.25% | 70.50%',
      ],
    ],
    [
      'with all customers that carry a fixed cost',
      fixed,
      [...JANUARY, '--key', 'gpu'],
      fixedCosts('0', 1, 80.25),
      [...carried, 'Adjustments without a customer | 13.0000 USD', 'Customer | Carries, USD', 'ann | 10.0000'],
    ],
    [
      'with a remark if a fixed cost has more customers than are shown',
      fixed,
      [...JANUARY, '--key', 'gpu'],
      fixedCosts('0', 2, 80.25),
      [
        ...[...carried, 'Adjustments without a customer | 13.0000 USD', 'Customer | Carries, USD', 'ann | 10.0000'],
        'Only the 1 largest customers are shown.',
      ],
    ],
    [
      'with allowances, also without an id',
      allowances,
      [],
      {
        items: [
          {
            ...{ subject: 'END_USER', subject_id: 'c7', period: 'DAY', policy: 'DENY', amount: '5' },
            ...{ held: '0.5', spent: '1.25', left: '3.25', used_percent: 25 },
          },
          {
            ...{ subject: 'ORGANIZATION', subject_id: null, period: 'MONTH', policy: 'WARN', amount: '6' },
            ...{ held: '0', spent: '0', left: '6', used_percent: null },
          },
        ],
        page_info: { has_next_page: true },
      },
      [
        'For | Id | Period | If it is used up | Amount, USD | Spent | Held | Left | Used',
        'end user | c7 | day | deny | 5.0000 | 1.2500 | 0.5000 | 3.2500 | 25.00%',
        'organization | month | warn | 6.0000 | 0.0000 | 0.0000 | 6.0000 | –',
        'Only the first 2 allowances are shown.',
      ],
    ],
    [
      'in the reporting currency, with what waits for a rate',
      margin,
      [...JANUARY, '--reporting-currency'],
      {
        reporting_margin: {
          ...{ currency: 'EUR', revenue: euros('50'), cost: euros('8'), cost_in_usd: '9', margin: euros('42') },
          ...{ margin_percent: 84, fees: euros('1.5'), margin_after_fees: euros('40.5') },
          exchange_differences: euros('-2.5'),
          latest_rate: { day: '2026-01-30', from: 'USD', to: 'EUR', rate: '0.86' },
          waiting: [{ kind: 'REVENUE', amount: { amount: '3', currency: 'GBP' }, reason: 'No rate' }],
          warnings: [{ message: 'A warning' }],
          end_users: {
            total_count: 2,
            nodes: [
              {
                ...{ name: 'Ann', revenue: euros('20'), cost: euros('3'), margin: euros('17'), margin_percent: 85 },
                ...{ fees: euros('0.5'), exchange_differences: euros('-1') },
              },
            ],
          },
        },
      },
      [
        ...['Revenue | 50.0000 EUR', 'Cost | 8.0000 EUR (9.0000 USD)', 'Margin | 42.0000 EUR (84.00%)'],
        ...["Payment processor's fees | 1.5000 EUR", 'Margin after fees | 40.5000 EUR'],
        ...['Exchange differences | -2.5000 EUR', 'Latest rate | 0.86 EUR for one USD, 2026-01-30'],
        'End user | Revenue, EUR | Cost, EUR | Margin, EUR | Margin | Fees, EUR | Exchange differences, EUR',
        'Ann | 20.0000 | 3.0000 | 17.0000 | 85.00% | 0.5000 | -1.0000',
        'Not included: revenue of 3.0000 GBP. No rate.',
        ...['A warning', 'Only the 1 least profitable customers are shown.'],
      ],
    ],
    [
      'after fixed costs, some of which replace model costs',
      margin,
      [...JANUARY, '--after-fixed-costs'],
      afterFixedCosts('1', 2),
      [
        ...['Revenue | 50.0000 USD', 'Model costs | 8.0000 USD', 'Replaced by fixed costs | 1.0000 USD'],
        ...['Fixed costs | 30.0000 USD', 'Shortfalls of commitments | 2.0000 USD'],
        ...['Adjustments without a customer | 3.0000 USD', 'Margin | 8.5000 USD (17.00%)'],
        'End user | Revenue, USD | Model costs, USD | Replaced, USD | Fixed costs, USD | Margin, USD | Margin',
        'Ann | 20.0000 | 4.0000 | 1.0000 | 6.0000 | 10.5000 | 52.50%',
        ...['A warning', 'Only the 1 least profitable customers are shown.'],
      ],
    ],
    [
      'after fixed costs that replace nothing',
      margin,
      [...JANUARY, '--after-fixed-costs'],
      afterFixedCosts('0', 1),
      [
        ...['Revenue | 50.0000 USD', 'Model costs | 8.0000 USD', 'Fixed costs | 30.0000 USD'],
        ...['Shortfalls of commitments | 2.0000 USD', 'Adjustments without a customer | 3.0000 USD'],
        'Margin | 8.5000 USD (17.00%)',
        'End user | Revenue, USD | Model costs, USD | Fixed costs, USD | Margin, USD | Margin',
        'Ann | 20.0000 | 4.0000 | 6.0000 | 10.5000 | 52.50%',
        'A warning',
      ],
    ],
    [
      'as margins by end user',
      margin,
      JANUARY,
      {
        end_users: [
          {
            ...{ end_user_name: 'Ann', revenue: '20', cost: '4', margin_amount: '16', margin_percent: 80 },
            profitability_category: 'profitable',
          },
        ],
        org_total: {
          ...{ total_revenue: '50', total_cost: '8', margin_amount: '42', margin_percent: 84 },
          profitability_category: 'profitable',
        },
        warnings: [{ message: 'A warning' }],
      },
      [
        ...['Revenue | 50.0000 USD', 'Cost | 8.0000 USD', 'Margin | 42.0000 USD (84.00%, profitable)'],
        'End user | Revenue, USD | Cost, USD | Margin, USD | Margin | Category',
        'Ann | 20.0000 | 4.0000 | 16.0000 | 80.00% | profitable',
        'A warning',
      ],
    ],
    [
      'as cost per completed task',
      outcomes,
      [...JANUARY, '--by', 'agent'],
      {
        outcomes: {
          groups: [
            {
              value: 'support',
              figures: {
                ...{ count: 7, succeeded: 5, cost: '3', cost_per_success: '0.6' },
                ...{ failed_cost_percent: 12.5, value_less_cost: '4' },
              },
            },
          ],
          total_groups: 2,
          total: { count: 9, succeeded: 6, cost: '8', cost_per_success: '1.25' },
          cost_without_outcome: '2',
        },
      },
      [
        ...['Completed | 6 of 9', 'Cost | 8.0000 USD', 'Cost per completed task | 1.2500 USD'],
        'Cost without an outcome | 2.0000 USD',
        'agent | Completed | Attempts | Cost, USD | Per completed task | In failed attempts | Value less cost',
        'support | 5 | 7 | 3.0000 | 0.6000 | 12.50% | 4.0000',
        'Only the 1 most expensive groups are shown.',
      ],
    ],
    [
      'as usage by metric',
      usage,
      JANUARY,
      {
        ...{ period_start: '2026-01-01', period_end: '2026-02-01', total_events: 1234 },
        metrics: [{ metric_name: 'input_tokens', total_quantity: 5678, event_count: 12 }],
      },
      [
        ...['From | 2026-01-01', 'To | 2026-02-01', 'Events | 1,234'],
        ...['Metric | Quantity | Events', 'input_tokens | 5,678 | 12'],
      ],
    ],
    [
      'as costs by agent',
      agents,
      JANUARY,
      {
        items: [
          {
            ...{ attribution_value: 'support', total_cost: '3', percent_of_total: 75, event_count: 4 },
            ...{ input_tokens: 5000, output_tokens: 6 },
          },
        ],
        ...{ total_cost: '4', total_groups: 2, truncated: true },
      },
      [
        ...['Total | 4.0000 USD', 'Agents | 2'],
        'Agent | Cost, USD | Share | Events | Input tokens | Output tokens',
        'support | 3.0000 | 75.00% | 4 | 5,000 | 6',
        'Only the 1 most expensive agents are shown.',
      ],
    ],
    [
      'as margins under a plan',
      whatif,
      [...JANUARY, '--plan', '20'],
      {
        ...{ customer_count: 3, became_unprofitable: 1, became_profitable: 2 },
        break_even: { total: '11', median: '12', everyone: '13' },
        total: { cost: '4', revenue_before: '5', revenue_after: '60', margin_before: '1.5', margin_after: '56' },
        customers: {
          items: [
            {
              ...{ name: 'Ann', break_even_flat: '7', turned: 'BECAME_PROFITABLE' },
              figures: { cost: '8', revenue_before: '9', revenue_after: '10', margin_before: '1', margin_after: '2' },
            },
          ],
        },
      },
      [
        ...['Revenue | 5.0000 USD before, 60.0000 USD after', 'Cost | 4.0000 USD'],
        ...['Margin | 1.5000 USD before, 56.0000 USD after', 'Become unprofitable | 1', 'Become profitable | 2'],
        'Break-even price | 11.0000 USD for all customers together, 12.0000 for half of them, 13.0000 for every customer',
        'Customer | Cost, USD | Revenue before | After | Margin after | Break-even price',
        'Ann | 8.0000 | 9.0000 | 10.0000 | 2.0000 | 7.0000 | becomes profitable',
        '2 more customers are included in the totals',
      ],
    ],
    [
      'as costs of another model',
      whatif,
      [...JANUARY, '--model', 'a=b'],
      {
        total: {
          ...{ before: '10', after: { low: '6', expected: '7', high: '8' } },
          ...{ difference: { low: '-4', expected: '-3', high: '-2' }, percent: -30 },
        },
        unassigned: {
          ...{ before: '1', after: { low: '1', expected: '1', high: '1' } },
          ...{ difference: { low: '0', expected: '0', high: '0' }, percent: 0 },
        },
        end_users: {
          total_count: 3,
          items: [
            {
              ...{ end_user: { external_id: 'ann' }, before: '9', after: { low: '5', expected: '6', high: '7' } },
              ...{ difference: { low: '-4', expected: '-3', high: '-2' }, percent: -33.33 },
            },
          ],
        },
        not_covered: [{ detail: 'why', model_slug: 'm', event_count: 2, cost: '1.5' }],
        tokenizers: [{ model: 'a', by_model: 'b', source: 'S 2026' }],
      },
      [
        ...['Before | 10.0000 USD', 'After | 7.0000 USD (6.0000 to 8.0000)'],
        'Difference | -3.0000 USD (-4.0000 to -2.0000) (-30.00%)',
        'End user | Before, USD | At least | After, USD | At most | Difference | Percent',
        'ann | 9.0000 | 5.0000 | 6.0000 | 7.0000 | -3.0000 | -33.33%',
        '– | 1.0000 | 1.0000 | 1.0000 | 1.0000 | 0.0000 | 0.00%',
        '2 more end users are included in the totals',
        '2 events of m not recalculated: 1.5000 USD (why)',
        'a and b count tokens differently: S 2026',
      ],
    ],
  ])('as lines: %s', (_, command, words, body, lines) => {
    expect(linesOf(command, words, body)).toEqual(lines);
  });
});

describe('the request of a command', () => {
  it.each<[string, ReadCommand, readonly string[], object]>([
    [
      'costs of an end user',
      costs,
      ['--end-user', 'a/b'],
      { path: '/end-user-costs/a%2Fb/by-model', parameters: DATES },
    ],
    [
      'costs by dimension',
      costs,
      ['--dimension', 'team'],
      { path: '/dimension-data/cost-breakdown', parameters: { dimension_key: 'team', ...DATES } },
    ],
    ['costs with dates', costs, [], { path: '/cost-data/by-model', parameters: DATES }],
    ['outcomes', outcomes, ['--by', 'agent', '--name', 'n'], { body: { ...DATES, group_by: 'agent', name: 'n' } }],
    ['outcomes by dimension', outcomes, ['--dimension', 'team'], { body: { ...DATES, dimension: 'team' } }],
    ['one fixed cost', fixed, ['--key', 'gpu'], { path: '/fixed-costs', body: { ...DATES, key: 'gpu' } }],
    [
      'another model, for one end user and agent',
      whatif,
      ['--model', 'a=b', '--user', 'u', '--agent', 'g'],
      { body: { ...DATES, changes: [{ replace: { model: 'a', by_model: 'b' } }], end_user: 'u', agent: 'g' } },
    ],
    [
      'rates and shares',
      whatif,
      ['--rate', 'a:input=2', '--rate', 'b=x0.9', '--cached', '0.5', '--batch', 'a=0.25'],
      {
        body: {
          ...DATES,
          changes: [
            { rate: { model: 'a', token_class: 'input', amount: '2' } },
            { rate: { model: 'b', factor: '0.9' } },
            { cached_share: { share: '0.5' } },
            { batch_share: { model: 'a', share: '0.25' } },
          ],
        },
      },
    ],
    [
      'a plan for all end users',
      whatif,
      ['--plan', '20', '--events', '1000@0.01', '--cost', '5@1.3', '--all'],
      {
        path: '/simulate-plan',
        body: {
          ...DATES,
          plan: {
            ...{ flat: '20', included_events: 1000, overage_per_event: '0.01' },
            ...{ included_cost: '5', overage_cost_factor: '1.3' },
          },
          customers: 'all',
        },
      },
    ],
    ['a plan', whatif, ['--plan', '20'], { body: { ...DATES, plan: { flat: '20' }, customers: 'paying' } }],
  ])('for %s has the expected path and values', (_, command, words, expected) => {
    expect(readOf(command, [...JANUARY, ...words])).toMatchObject(expected);
  });

  it.each<[ReadCommand, readonly string[]]>([
    [costs, ['--by', 'model', '--dimension', 'team']],
    [costs, ['--by', 'color']],
    [margin, ['--after-fixed-costs', '--reporting-currency']],
    [outcomes, ['--by', 'color']],
    [whatif, []],
    [whatif, ['--model', 'a=b', '--plan', '20']],
    [whatif, ['--events', '1000@0.01']],
  ])('of $name is refused with %j', (command, words) => {
    expect(() => readOf(command, [...JANUARY, ...words])).toThrow(/^(Give|--)/);
  });
});
