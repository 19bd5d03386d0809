/** Prints the totals of the 90 days, read through the public API with the demo's key. */
import { money } from '#kernel/money.ts';
import { groupedDigits } from '#kernel/usd-text.ts';

interface Amounts {
  readonly margin_amount: string;
  readonly margin_percent: number | null;
}

interface EndUser extends Amounts {
  readonly end_user_name: string;
  readonly cost: string;
  readonly revenue: string;
  readonly profitability_category: string;
}

interface Margin {
  readonly end_users: readonly EndUser[];
  readonly org_total: Amounts & {
    readonly total_cost: string;
    readonly total_revenue: string;
    readonly cost_record_count: number;
    readonly unattributed_revenue: string;
    readonly unattributed_cost: string;
  };
}

interface Summary {
  readonly status_counts: { readonly pending_rate_card: number };
}

const SHOWN = 3;
const CATEGORIES = ['profitable', 'break-even', 'unprofitable'];

/** `end` is exclusive. */
export async function printTotals(
  api: string,
  readKey: string,
  { start, end }: { start: string; end: string },
): Promise<string> {
  const { end_users: endUsers, org_total: total } = await read<Margin>(
    `${api}/v1/margin-data/by-end-user?start_date=${start}&end_date=${end}`,
    readKey,
  );
  const {
    status_counts: { pending_rate_card: waiting },
  } = await read<Summary>(`${api}/v1/cost-data/summary?time_window=last-90-days`, readKey);
  const ofCategory = (name: string) =>
    `${endUsers.filter(({ profitability_category }) => profitability_category === name).length} ${name}`;
  return `
The books from ${start} to today

  events     ${total.cost_record_count.toLocaleString('en-US')} priced, ${waiting.toLocaleString('en-US')} wait for a rate card
  cost       ${dollars(total.total_cost)}
  revenue    ${dollars(total.total_revenue)}
  margin     ${marginOf(total)}
  unassigned ${dollars(total.unattributed_revenue)} invoiced, ${dollars(total.unattributed_cost)} cost
  end users  ${CATEGORIES.map(ofCategory).join(', ')}

  best       ${endUsers.slice(-SHOWN).reverse().map(lineOf).join('\n             ')}
  worst      ${endUsers.slice(0, SHOWN).map(lineOf).join('\n             ')}
`;
}

async function read<Answer>(url: string, key: string): Promise<Answer> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

function lineOf({ end_user_name, revenue, cost, ...margin }: EndUser): string {
  return `${end_user_name.padEnd(18)} ${dollars(revenue).padStart(10)} revenue ${dollars(cost).padStart(10)} cost   margin ${marginOf(margin)}`;
}

function marginOf({ margin_amount, margin_percent }: Amounts): string {
  return `${dollars(margin_amount)}${margin_percent === null ? '' : ` (${margin_percent} %)`}`;
}

function dollars(text: string): string {
  const amount = money(text);
  return `${amount.isNegative() ? '-' : ''}$${groupedDigits(amount.abs().toFixed(2))}`;
}
