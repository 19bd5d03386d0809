/**
 * Reads charges by day between any two instants in one statement, and so from one snapshot: facts for the partial days,
 * then the sums and the pending facts of whole days. Charges of end users and agents are summed from facts.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Window } from '#kernel/time/window.ts';
import { type AddParameter, query } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { UNASSIGNED } from '../measures/rollup-keys.ts';
import { CHARGE_KEYS, CHARGE_SUMS, chargeRows } from '../rollups/charge-day.table.ts';
import { NO_END_USER } from '../rollups/end-user-day.table.ts';
import { mayHavePending } from '../rollups/pending-day.table.ts';
import { chargesOfWindow, factsBetween } from '../rollups/window-charges.query.ts';
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
  /** Totals over all pages. */
  readonly totalCount: number;
  readonly totalAmount: string;
  readonly totalListAmount: string;
}

const IDENTITY = ['day', ...CHARGE_KEYS, 'party'];

/** The sort values of a row, in the order of the list. */
export function keysetOf(row: ChargeDayRow): ChargeKeyset {
  return [row.day, row.provider, row.model, row.context, row.chargeClass, row.unit, row.party];
}

export const KEYSET_LENGTH = IDENTITY.length;

/** The next `limit` rows after a cursor, ordered by day and then by every key. */
export async function readChargeDays(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
  selection: ChargeSelection,
  { after, limit }: { readonly after: ChargeKeyset | null; readonly limit: number },
): Promise<ChargePage> {
  const parameters: unknown[] = [organizationId];
  const place = (value: unknown) => `$${parameters.push(value)}`;
  const rows = isRolledUp(selection)
    ? chargesOfWindow(
        window,
        ['bucket', ...CHARGE_KEYS, "'' as party", ...CHARGE_SUMS],
        place,
        await mayHavePending(tx, organizationId),
      )
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

async function ofParties(
  tx: Transaction,
  organizationId: OrganizationId,
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
  return `select ${columns} from (${chargeRows(factsBetween(start!, end!, where), ['end_user_id', 'dimensions'])}) as charge`;
}

const AGENT = `coalesce(dimensions ->> 'agent_id', '${UNASSIGNED}')`;
