/** The size of a window, from sums, before its events are read one by one. */
import type { Window } from '#kernel/time/window.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { fail } from '#schema/errors.ts';
import { OUTCOME_FACTS_MAX } from '../config.ts';
import { COST_COLUMNS, COST_SUMS } from '../measures/measure.ts';
import { TOTAL_KEY } from '../measures/rollup-keys.ts';
import { readWindow } from '../rollups/read-window.query.ts';

/** Fails with `UNPROCESSABLE_ENTITY` if the window has too many events. */
export async function checkSize(tx: Transaction, organizationId: string, window: Window): Promise<void> {
  const events = Number((await readTotal(tx, organizationId, window)).eventCount);
  if (events > OUTCOME_FACTS_MAX)
    fail(
      'UNPROCESSABLE_ENTITY',
      `This window has ${events} events; outcomes can be read for at most ${OUTCOME_FACTS_MAX}: use a shorter window`,
    );
}

/** Cost of the window. */
export async function readWindowCost(tx: Transaction, organizationId: string, window: Window): Promise<string> {
  return (await readTotal(tx, organizationId, window)).totalCost;
}

async function readTotal(
  tx: Transaction,
  organizationId: string,
  window: Window,
): Promise<{ readonly totalCost: string; readonly eventCount: string }> {
  const [total] = await readWindow<{ totalCost: string | null; eventCount: string | null }>(
    tx,
    { organizationId, key: TOTAL_KEY, window },
    { columns: COST_COLUMNS, text: (rows) => `select ${COST_SUMS} from ${rows} as part` },
  );
  return { totalCost: total?.totalCost ?? '0', eventCount: total?.eventCount ?? '0' };
}
