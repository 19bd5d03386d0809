/**
 * Updates the held and spent amounts of allowances, in the transaction that writes the ledger. A hold that an event
 * names is replaced by the event's exact cost.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { OfOrganization } from '#platform/database/nodes/organization-rows.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { changePeriods } from '../allowances/allowance-period.table.ts';
import { type BookedCost, countCosts } from '../allowances/allowed-costs.query.ts';
import type { NewCostEntry } from '../ledger/cost-entry.table.ts';
import type { PriceableEvent } from '../pricing/priceable-event.query.ts';
import { closeSettled, findLimitedOrganizations } from './hold.table.ts';

/** A new ledger entry and its event. */
export interface SpentEntry {
  readonly entry: Pick<NewCostEntry, 'costs' | 'eventTime' | 'bookedTime' | 'sequence' | 'livemode'>;
  readonly event: Pick<PriceableEvent, 'id' | 'endUserExternalId' | 'agentId' | 'metadata'>;
}

/**
 * Call it once per transaction, after `publishBatches`: only then does it see allowances that another transaction was
 * saving. `entries` is called only for organizations with allowances or holds; all others cost no more than two index
 * lookups.
 */
export async function settleHolds(
  tx: WriteTransaction,
  organizations: readonly { readonly organizationId: OrganizationId; readonly entries: () => readonly SpentEntry[] }[],
): Promise<void> {
  if (organizations.length === 0) return;
  const limited = new Set(
    await findLimitedOrganizations(
      tx,
      organizations.map(({ organizationId }) => organizationId),
    ),
  );
  const spent = organizations
    .filter(({ organizationId }) => limited.has(organizationId))
    .map(({ organizationId, entries }) => ({ organizationId, items: entries().filter(({ entry }) => entry.livemode) }))
    .toSorted((one, other) => (one.organizationId < other.organizationId ? -1 : 1));
  for (const one of spent) await settleOne(tx, one);
}

async function settleOne(tx: WriteTransaction, { organizationId, items }: OfOrganization<SpentEntry>): Promise<void> {
  if (items.length === 0) return;
  const released = await closeSettled(tx, organizationId, eventByHold(items));
  const counted = await countCosts(tx, organizationId, items.map(bookedCost));
  await changePeriods(tx, organizationId, [...released, ...counted]);
}

/** The first event that names a hold settles it; others just count as spent. */
function eventByHold(items: readonly SpentEntry[]): Map<string, string> {
  const events = new Map<string, string>();
  for (const { entry, event } of items) {
    const id = event.metadata?.['hold_id'];
    if (entry.sequence === 0 && typeof id === 'string' && isUuid(id) && !events.has(id.toLowerCase()))
      events.set(id.toLowerCase(), event.id);
  }
  return events;
}

function bookedCost({ entry, event }: SpentEntry): BookedCost {
  return {
    endUser: event.endUserExternalId,
    agent: event.agentId,
    at: entry.bookedTime ?? entry.eventTime,
    amount: entry.costs.totalCost,
  };
}
