/**
 * Reads charges by day between any two instants in one statement, and so from one snapshot: facts for the partial days,
 * then the sums and the pending facts of whole days. Charges of end users and agents are summed from facts.
 */
import { wholeUnits } from '#kernel/time/split-window.ts';
import type { Window } from '#kernel/time/window.ts';
import { type AddParameter, query } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { UNASSIGNED } from '../measures/rollup-keys.ts';
import { CHARGE_KEYS, CHARGE_SUMS, chargeRows } from '../rollups/charge-day.table.ts';
import { NO_END_USER } from '../rollups/end-user-day.table.ts';
import { NO_KEY, pendingFacts } from '../rollups/pending-day.table.ts';
import { IS_LAST_DAY_OVER, lastDay } from '../rollups/window-rows.query.ts';
import { selectedEndUserId } from '../selections/cost-selection.ts';
import { refuseTooMany } from '../selections/selected-rows.query.ts';
import { type ChargeSelection, groupOf, isRolledUp } from './charge-selection.ts';

export interface ChargeDayRow {
  /** `2026-11-27` */
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly context: string;
  readonly chargeClass: string;
  readonly unit: string;
  /** Id of the end user, or the agent; empty without a grouping. */
  readonly party: string;
  readonly quantity: string;
  readonly listAmount: string;
  readonly amount: string;
  readonly corrections: string;
  readonly eventCount: string;
}

/** Sort values of a row, as in a cursor. */
export type ChargeKeyset = readonly string[];

export interface ChargePage {
  readonly rows: readonly ChargeDayRow[];
  /** Totals are of all pages. */
  readonly totalCount: number;
  readonly totalAmount: string;
  readonly totalListAmount: string;
}

const IDENTITY = ['day', ...CHARGE_KEYS, 'party'];

export function keysetOf(row: ChargeDayRow): ChargeKeyset {
  return [row.day, row.provider, row.model, row.context, row.chargeClass, row.unit, row.party];
}

export const KEYSET_LENGTH = IDENTITY.length;

/** The next `limit` rows after a cursor, ordered by day and then by every key. */
export async function readChargeDays(
  tx: Transaction,
  organizationId: string,
  window: Window,
  selection: ChargeSelection,
  { after, limit }: { readonly after: ChargeKeyset | null; readonly limit: number },
): Promise<ChargePage> {
  const parameters: unknown[] = [organizationId];
  const place = (value: unknown) => `$${parameters.push(value)}`;
  const rows = isRolledUp(selection)
    ? chargesOfWindow(window, ['bucket', ...CHARGE_KEYS, "'' as party", ...CHARGE_SUMS], place)
    : await ofParties(tx, organizationId, window, selection, place);
  const where = selection.conditions.map(({ column, value }) => `${column} = ${place(value)}`);
  const next = after === null ? 'true' : `(${IDENTITY.join(', ')}) > (${after.map(place).join(', ')})`;
  const found = await query<Partial<ChargeDayRow> & Totals>(
    tx,
    `
    with charge as materialized (
      select to_char(bucket at time zone 'UTC', 'YYYY-MM-DD') collate "C" as day, ${CHARGE_KEYS.map((key) => `${key} collate "C" as ${key}`).join(', ')},
        party collate "C" as party, ${CHARGE_SUMS.map((sum) => `sum(${sum}) as ${sum}`).join(', ')}
      from (${rows}) as part where ${['true', ...where].join(' and ')} group by 1, 2, 3, 4, 5, 6, 7)
    select total.*, page.* from (
      select count(*)::float8 as total_count, coalesce(sum(amount), 0)::text as total_amount, coalesce(sum(list_amount), 0)::text as total_list_amount
      from charge) as total
    left join (
      select ${IDENTITY.join(', ')}, ${CHARGE_SUMS.map((sum) => `${sum}::text`).join(', ')}
      from charge where ${next} order by ${IDENTITY.join(', ')} limit ${place(limit)}) as page on true
    order by ${IDENTITY.map((key) => `page.${key}`).join(', ')}`,
    parameters,
  );
  const [{ totalCount, totalAmount, totalListAmount } = NO_TOTALS] = found;
  const page = found.filter((row): row is ChargeDayRow & Totals => typeof row.day === 'string');
  return { rows: page, totalCount, totalAmount, totalListAmount };
}

interface Totals {
  readonly totalCount: number;
  readonly totalAmount: string;
  readonly totalListAmount: string;
}

const NO_TOTALS: Totals = { totalCount: 0, totalAmount: '0', totalListAmount: '0' };

/**
 * SQL for `columns` of all charges of the organization `$1`, in several rows for each key. Pending facts are left out of
 * the text if the organization has none: planning them takes longer than reading the days.
 */
export function chargesOfWindow(
  window: Window,
  names: readonly string[],
  place: AddParameter,
  hasPending = true,
): string {
  const days = wholeUnits(window, 'day');
  const [start, from, until, end] = [window.start.iso, days.start.iso, days.end.iso, window.end.iso].map(place);
  const columns = names.join(', ');
  const wholeEnd = `(case when ${IS_LAST_DAY_OVER} then ${end} else ${until} end)`;
  return `
    with ${lastDay('$1', until!, end!)}
    select ${columns} from (${chargeRows(facts(start!, from!))}) as first
    union all select ${columns} from charge_day
      where organization_id = $1 and bucket >= ${from}::timestamptz and bucket < ${wholeEnd}::timestamptz
    ${hasPending ? `union all select ${columns} from (${chargeRows(`(select fact.* ${pendingFacts('$1', NO_KEY, from!, wholeEnd)})`)}) as pending` : ''}
    union all select ${columns} from (${chargeRows(facts(until!, end!, [`not ${IS_LAST_DAY_OVER}`]))}) as last`;
}

async function ofParties(
  tx: Transaction,
  organizationId: string,
  window: Window,
  selection: ChargeSelection,
  place: AddParameter,
): Promise<string> {
  const { costs } = selection;
  await refuseTooMany(tx, { organizationId, window, selection: costs, isHourly: false });
  const [start, end] = [window.start.iso, window.end.iso].map(place);
  const id = selectedEndUserId(organizationId, costs);
  const where = [
    ...(id === null ? [] : [id === NO_END_USER ? 'end_user_id is null' : `end_user_id = ${place(id)}::uuid`]),
    ...costs.conditions.map(({ values: [agent] }) => `${AGENT} = ${place(agent)}`),
  ];
  const group = groupOf(selection);
  const party = group === null ? "''" : group.isEndUser ? `coalesce(end_user_id, '${NO_END_USER}')::text` : AGENT;
  const columns = ['bucket', ...CHARGE_KEYS, `${party} as party`, ...CHARGE_SUMS].join(', ');
  return `select ${columns} from (${chargeRows(facts(start!, end!, where), ['end_user_id', 'dimensions'])}) as charge`;
}

const AGENT = `coalesce(dimensions ->> 'agent_id', '${UNASSIGNED}')`;

function facts(start: string, end: string, where: readonly string[] = []): string {
  const isOf = ['organization_id = $1', `event_time >= ${start}::timestamptz`, `event_time < ${end}::timestamptz`];
  return `(select * from cost_fact where ${[...isOf, ...where].join(' and ')})`;
}
