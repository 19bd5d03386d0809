/** Reconciliation: compares providers' bills with the books and explains the differences. */
import { deletedOrganizationsJob } from '#platform/subgraph/deleted-organizations-job.ts';
import { outboundClient } from '#platform/outbound/outbound-client.ts';
import type { SubgraphDefinition } from '#platform/subgraph/subgraph.ts';
import { AuditRecordTable } from './audit-log/audit-record.table.ts';
import { BillConnectionTable } from './connections/bill-connection.table.ts';
import { SEALED_COLUMNS } from './connections/sealed-columns.step.ts';
import { BillFixTable } from './decisions/bill-fix.table.ts';
import { BillDayTable } from './pulls/bill-day.table.ts';
import { BillLineTable } from './pulls/bill-line.table.ts';
import { BillPullPartTable } from './pulls/bill-pull-part.table.ts';
import { BillPullTable } from './pulls/bill-pull.table.ts';
import { BillUploadTable } from './pulls/bill-upload.table.ts';
import { pullBillsJob } from './pulls/pull-bills.job.ts';
import { forgetUploadsJob } from './pulls/forget-uploads.job.ts';
import { resolvers } from './resolvers.ts';

export const reconciliation: SubgraphDefinition = {
  name: 'reconciliation',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [
    BillConnectionTable,
    BillPullTable,
    BillPullPartTable,
    BillUploadTable,
    BillLineTable,
    BillDayTable,
    BillFixTable,
    AuditRecordTable,
  ],
  migrationsFolder: new URL('./migrations/', import.meta.url),
  sealed: SEALED_COLUMNS,
  resolvers,
  jobs: (dependencies) => [
    pullBillsJob({
      ...dependencies,
      outbound: outboundClient({ allowedHosts: dependencies.config.outboundAllowedHosts }),
    }),
    forgetUploadsJob(dependencies),
    deletedOrganizationsJob(dependencies),
  ],
};
