/** Sums list and contracted costs of a window by provider and agreement, in one statement like charges by day. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Window } from '#kernel/time/window.ts';
import { query } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { mayHavePending } from '../rollups/pending-day.table.ts';
import { chargesOfWindow } from '../rollups/window-charges.query.ts';

export interface SavingsRow {
  readonly provider: string;
  /** Empty for charges without a discount. */
  readonly agreement: string;
  readonly list: string;
  readonly contracted: string;
}

/** Savings in a window, the largest first. */
export async function readSavings(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
): Promise<SavingsRow[]> {
  const parameters: unknown[] = [organizationId];
  const place = (value: unknown) => `$${parameters.push(value)}`;
  const rows = chargesOfWindow(
    window,
    ['provider', 'agreement', 'list_amount', 'amount'],
    place,
    await mayHavePending(tx, organizationId),
  );
  return query<SavingsRow>(
    tx,
    `
    select provider, agreement, sum(list_amount)::text as list, sum(amount)::text as contracted
    from (${rows}) as charge group by 1, 2 having sum(list_amount) <> 0 or sum(amount) <> 0
    order by sum(list_amount) - sum(amount) desc, provider collate "C", agreement collate "C"`,
    parameters,
  );
}
