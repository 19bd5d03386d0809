/** Revenue: whether it paid. */
import type { SubgraphDefinition } from '../../platform/subgraph/subgraph.ts';
import { AuditRecordTable } from './data/audit-record.ts';
import { CustomerTable } from './data/customer.ts';
import { InvoicePaymentTable } from './data/invoice-payment.ts';
import { InvoiceTable } from './data/invoice.ts';
import { PaymentConnectionTable } from './data/payment-connection.ts';
import { ReductionTable } from './data/reduction.ts';
import { RevenueRecordTable } from './data/revenue-record.ts';
import { SEALED_COLUMNS } from './data/sealed-columns.ts';
import { SubscriptionTable } from './data/subscription.ts';
import { SyncCursorTable } from './data/sync-cursor.ts';
import { SyncRunTable } from './data/sync-run.ts';
import { syncJob } from './jobs/sync-step.ts';
import { resolvers } from './resolvers.ts';

export const revenue: SubgraphDefinition = {
  name: 'revenue',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [
    PaymentConnectionTable,
    CustomerTable,
    SubscriptionTable,
    InvoiceTable,
    InvoicePaymentTable,
    ReductionTable,
    RevenueRecordTable,
    SyncRunTable,
    SyncCursorTable,
    AuditRecordTable,
  ],
  migrationsFolder: new URL('./data/migrations/', import.meta.url),
  sealed: SEALED_COLUMNS,
  resolvers,
  jobs: (surroundings) => [syncJob(surroundings)],
};
