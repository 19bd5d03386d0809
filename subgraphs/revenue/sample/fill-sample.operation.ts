/** Books the payments of sample data, through the same code as a sync. */
import { lockOrganization } from '#platform/database/locks.ts';
import { databaseTime } from '#platform/database/sql.ts';
import { randomUuid } from '#platform/random.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { ACCOUNT_CURRENCY } from '../../../sample/exchange-rates.ts';
import { historyBegan } from '../../../sample/history.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { queueConversion } from '../currencies/conversion-queue.table.ts';
import { ALL_MONTHS } from '../currencies/currency-of-day.ts';
import { saveCurrencyChoice } from '../currencies/organization-currency.table.ts';
import { countCustomers } from '../customers/customer.table.ts';
import { noCounts } from '../records/record-counts.ts';
import type { SyncPage } from '../records/sync-page.ts';
import { writeObjects } from '../records/write-objects.step.ts';
import type { Processor, ProcessorPage } from '../stripe/processor.ts';
import { LISTS } from '../stripe/sync-stages.ts';
import { END_USER_KEY, sampleObjects } from './sample-objects.ts';

/** Sample objects are complete, so nothing is fetched. */
const NOTHING: ProcessorPage = { objects: [], more: false };
const NO_PROCESSOR: Processor = {
  page: async () => NOTHING,
  invoiceLines: async () => NOTHING,
  creditNoteLines: async () => NOTHING,
  invoicePayments: async () => NOTHING,
  balanceTransactions: async () => NOTHING,
  checkoutSessions: async () => NOTHING,
  object: async () => null,
};

/** Runs in one transaction and is safe to repeat. Fails with `FORBIDDEN` unless the organization is a sample. */
export function fillSample(context: SubgraphContext): Promise<{ customers: number; recordsCreated: number }> {
  const organizationId = organizationOf(context);
  if (context.principal.sampleOf === undefined)
    fail('FORBIDDEN', 'Only a sample organization can be filled with sample data');
  return context.database.write(organizationId, async (tx) => {
    await lockOrganization(tx, 'sample', organizationId);
    const { all } = await countCustomers(tx, organizationId);
    // Repeating keeps the periods of the first fill.
    if (all > 0) return { customers: all, recordsCreated: 0 };
    const at = await databaseTime(tx);
    const page: SyncPage = {
      organizationId,
      runId: randomUuid(),
      endUserKey: END_USER_KEY,
      counts: noCounts(),
      processor: NO_PROCESSOR,
      write: (work) => work(tx, at),
    };
    const objects = sampleObjects(historyBegan(at), at);
    await saveCurrencyChoice(tx, organizationId, { fromMonth: ALL_MONTHS, currency: ACCOUNT_CURRENCY });
    for (const list of LISTS) await writeObjects(page, list, objects[list]);
    await queueConversion(tx, organizationId);
    const { customers, recordsCreated } = page.counts;
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'sample_data.filled',
      ...actorOf(context.principal),
      detail: `${recordsCreated} records`,
    });
    return { customers, recordsCreated };
  });
}
