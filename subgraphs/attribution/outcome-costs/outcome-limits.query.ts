/** Checks the size of a window before its events are read one by one. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Window } from '#kernel/time/window.ts';
import { queryOne } from '#platform/database/sql.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { fail } from '#kernel/errors.ts';
import { OUTCOME_FACTS_MAX, OUTCOMES_MAX } from '../config.ts';
import { COST_COLUMNS, COST_SUMS } from '../measures/measure.ts';
import { TOTAL_KEY } from '../measures/rollup-keys.ts';
import { readWindow } from '../rollups/read-window.query.ts';
import { refuseTooManyEvents } from './outcome-events.query.ts';
import { FINISHED, type OutcomeQuery } from './outcome-rows.query.ts';

/** Fails with `UNPROCESSABLE_ENTITY` if the window has too many events or outcomes, or its outcomes too many events. */
export async function checkSize(
  tx: Transaction,
  { organizationId, window, selection }: OutcomeQuery,
  { eventsMax = OUTCOME_FACTS_MAX, outcomesMax = OUTCOMES_MAX } = {},
): Promise<void> {
  const events = Number((await readTotal(tx, organizationId, window)).eventCount);
  if (events > eventsMax)
    fail(
      'UNPROCESSABLE_ENTITY',
      `This window has ${events} events; outcomes can be read for at most ${eventsMax}: use a shorter window`,
    );
  const finished = [organizationId, window.start.iso, window.end.iso];
  const { outcomes } = await queryOne<{ outcomes: number }>(
    tx,
    `select count(*)::int as outcomes from (${FINISHED} limit ${outcomesMax + 1}) as counted`,
    finished,
  );
  if (outcomes > outcomesMax)
    fail('UNPROCESSABLE_ENTITY', `This window has more than ${outcomesMax} outcomes: use a shorter window`);
  if (selection.readsEvents) await refuseTooManyEvents(tx, FINISHED, finished, eventsMax);
}

/** Cost of the window. */
export async function readWindowCost(tx: Transaction, organizationId: OrganizationId, window: Window): Promise<string> {
  return (await readTotal(tx, organizationId, window)).totalCost;
}

async function readTotal(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
): Promise<{ readonly totalCost: string; readonly eventCount: string }> {
  const [total] = await readWindow<{ totalCost: string | null; eventCount: string | null }>(
    tx,
    { organizationId, key: TOTAL_KEY, window },
    { columns: COST_COLUMNS, text: (rows) => `select ${COST_SUMS} from ${rows} as part` },
  );
  return { totalCost: total?.totalCost ?? '0', eventCount: total?.eventCount ?? '0' };
}
