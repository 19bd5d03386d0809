/** Books what the customers of sample data paid: its objects go the way of a sync, from a processor that no one connected to. */
import { databaseTime, query } from '../../../platform/database/sql.ts';
import { randomUuid } from '../../../platform/random.ts';
import { actorOf } from '../../../platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { historyBegan } from '../../../sample/history.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { countCustomers } from '../customers/customer.table.ts';
import { noCounts } from '../records/record-counts.ts';
import type { SyncPage } from '../records/sync-page.ts';
import { writeObjects } from '../records/write-objects.step.ts';
import type { Processor, ProcessorPage } from '../stripe/processor.ts';
import { LISTS } from '../stripe/sync-stages.ts';
import { END_USER_KEY, sampleObjects } from './sample-objects.ts';

/** Every object is whole: there is nothing to ask for. */
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

/** One transaction; safe to repeat. Fails with `FORBIDDEN` for an organization that is no sample. */
export function fillSample(context: SubgraphContext): Promise<{ customers: number; recordsCreated: number }> {
  const organizationId = organizationOf(context);
  if (context.principal.sampleOf === undefined) fail('FORBIDDEN', 'Only sample data is filled');
  return context.database.forOrganization(organizationId, async (em) => {
    await query(em, "select pg_advisory_xact_lock(hashtextextended('sample ' || $1, 0))", [organizationId]);
    const { all } = await countCustomers(em, organizationId);
    // Periods begin when it was filled first.
    if (all > 0) return { customers: all, recordsCreated: 0 };
    const at = await databaseTime(em);
    const page: SyncPage = {
      organizationId,
      runId: randomUuid(),
      endUserKey: END_USER_KEY,
      counts: noCounts(),
      processor: NO_PROCESSOR,
      write: (work) => work(em, at),
    };
    const objects = sampleObjects(historyBegan(at), at);
    for (const list of LISTS) await writeObjects(page, list, objects[list]);
    const { customers, recordsCreated } = page.counts;
    await recordAudit(em, {
      organizationId,
      at,
      action: 'sample_data.filled',
      ...actorOf(context.principal),
      detail: `${recordsCreated} records`,
    });
    return { customers, recordsCreated };
  });
}
