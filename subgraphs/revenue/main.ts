/** The revenue subgraph: payments and margins. */
import { deletedOrganizationsJob } from '#platform/subgraph/deleted-organizations-job.ts';
import type { Job } from '#platform/job-loop.ts';
import type { SubgraphDefinition, SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { AuditRecordTable } from './audit-log/audit-record.table.ts';
import { CustomerTable } from './customers/customer.table.ts';
import { ClosedRatesTable } from './currencies/closed-rates.table.ts';
import { ConversionQueueTable } from './currencies/conversion-queue.table.ts';
import { OrganizationCurrencyTable } from './currencies/organization-currency.table.ts';
import { outboundClient } from '#platform/outbound/outbound-client.ts';
import { pullFxRatesJob } from './currencies/pull-fx-rates.job.ts';
import { convertRecordsJob } from './conversion/convert-records.job.ts';
import { ConvertedEntryTable } from './conversion/converted-entry.table.ts';
import { InvoiceRateTable } from './conversion/invoice-rate.table.ts';
import { FxRateTable } from './currencies/fx-rate.table.ts';
import { ChargeTable } from './records/charge.table.ts';
import { InvoicePaymentTable } from './records/invoice-payment.table.ts';
import { InvoiceTable } from './records/invoice.table.ts';
import { PaymentConnectionTable } from './connection/payment-connection.table.ts';
import { ReductionTable } from './records/reduction.table.ts';
import { RevenueRecordTable } from './records/revenue-record.table.ts';
import { SEALED_COLUMNS } from './connection/sealed-columns.step.ts';
import { RevenueClosingTable } from './records/revenue-closing.table.ts';
import { SetAsideObjectTable } from './set-aside/set-aside-object.table.ts';
import { SubscriptionTable } from './customers/subscription.table.ts';
import { SyncCursorTable } from './sync/runs/sync-cursor.table.ts';
import { SyncRunTable } from './sync/runs/sync-run.table.ts';
import { syncJob } from './sync/sync-step.job.ts';
import { reportViews } from './report-views/report-views.query.ts';
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
    ChargeTable,
    ReductionTable,
    RevenueRecordTable,
    RevenueClosingTable,
    FxRateTable,
    OrganizationCurrencyTable,
    ClosedRatesTable,
    ConversionQueueTable,
    InvoiceRateTable,
    ConvertedEntryTable,
    SetAsideObjectTable,
    SyncRunTable,
    SyncCursorTable,
    AuditRecordTable,
  ],
  migrationsFolder: new URL('./migrations/', import.meta.url),
  sealed: SEALED_COLUMNS,
  reportViews,
  resolvers,
  computedTypes: ['Margin', 'MarginAfterFixedCosts', 'ReportingMargin'],
  jobs: (dependencies) => [
    syncJob(dependencies),
    convertRecordsJob(dependencies),
    ...pullsOf(dependencies),
    deletedOrganizationsJob(dependencies),
  ],
};

/** The job that fetches exchange rates; none unless the operator has set where to fetch them. */
function pullsOf(dependencies: SubgraphDependencies): Job[] {
  const { fxRatesUrl: url, outboundAllowedHosts: allowedHosts } = dependencies.config;
  return url === null ? [] : [pullFxRatesJob(dependencies, { url, outbound: outboundClient({ allowedHosts }) })];
}
