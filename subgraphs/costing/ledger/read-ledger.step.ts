/** Reads the ledger of a window as of an instant, up to a maximum number of entries, in one snapshot. */
import { requireInstant } from '#kernel/time/instant.ts';
import type { Window } from '#kernel/time/window.ts';
import { now } from '#platform/clock.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { LEDGER_ENTRIES_MAX } from '../config.ts';
import { hasMoreEntries, type LedgerOfWindow } from './ledger-costs.query.ts';

/**
 * Fails with `UNPROCESSABLE_ENTITY` for more entries than the maximum, and with `VALIDATION_ERROR` for an instant in
 * the future.
 */
export async function readLedger<Lines>(
  context: SubgraphContext,
  window: Window,
  asOf: string | null,
  read: (tx: Transaction, ledger: LedgerOfWindow) => Promise<Lines>,
): Promise<Lines> {
  const organizationId = organizationOf(context);
  const instant = asOf === null ? null : new Date(requireInstant('asOf', asOf).epochMs);
  if (instant !== null && instant > now()) fail('VALIDATION_ERROR', 'asOf must not be in the future');
  const ledger = { organizationId, window, asOf: instant };
  const lines = await context.database.snapshot(organizationId, async (tx) =>
    (await hasMoreEntries(tx, ledger, LEDGER_ENTRIES_MAX)) ? null : read(tx, ledger),
  );
  return (
    lines ??
    fail('UNPROCESSABLE_ENTITY', `The window has more than ${LEDGER_ENTRIES_MAX} entries: choose a shorter window`)
  );
}
