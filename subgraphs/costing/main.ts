/** Costing: the cost of calls. Ingests usage events, prices them, and keeps the ledger. */
import { KnownError } from '#kernel/errors.ts';
import type { Job } from '#platform/job-loop.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import { homeTable } from '#platform/database/nodes/organization-home.ts';
import { deletedOrganizationsJob } from '#platform/subgraph/deleted-organizations-job.ts';
import type { SubgraphDefinition, SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { AgreementTable } from './rates/discounts/agreement.table.ts';
import { AgreementTermTable } from './rates/discounts/agreement-term.table.ts';
import { AllowanceTable } from './allowances/allowance.table.ts';
import { AllowancePeriodTable } from './allowances/allowance-period.table.ts';
import { AllowanceTopUpTable } from './allowances/allowance-top-up.table.ts';
import { HoldTable } from './holds/hold.table.ts';
import { expireHoldsJob } from './holds/expire-holds.job.ts';
import { AuditRecordTable } from './audit-log/audit-record.table.ts';
import { BUILT_IN_SOURCE } from './rate-changes/built-in-catalogue.ts';
import { CatalogReleaseTable, isImported } from './rate-changes/catalog-release.table.ts';
import { CostClosingTable } from './ledger/cost-closing.table.ts';
import { CostEntryTable } from './ledger/cost-entry.table.ts';
import { CostHourTable } from './ledger/cost-hour.table.ts';
import { CreditAccountTable } from './credits/credit-account.table.ts';
import { EndUserErasureTable } from './erasure/end-user-erasure.table.ts';
import { dropMetadataJob } from './erasure/drop-metadata.job.ts';
import { MetadataRetentionTable } from './erasure/metadata-retention.table.ts';
import { AllocationDayTable } from './fixed-costs/allocation-day.table.ts';
import { CostAdjustmentTable } from './adjustments/cost-adjustment.table.ts';
import { AllocationEntryTable } from './fixed-costs/allocation-entry.table.ts';
import { allocateFixedCostsJob } from './fixed-costs/allocate-fixed-costs.job.ts';
import { CommitmentDayTable } from './commitments/commitment-day.table.ts';
import { CommitmentEntryTable } from './commitments/commitment-entry.table.ts';
import { CommitmentTable } from './commitments/commitment.table.ts';
import { computeCommitmentsJob } from './commitments/compute-commitments.job.ts';
import { burnProviderCreditsJob } from './provider-credits/burn-provider-credits.job.ts';
import { ProviderCreditDayTable } from './provider-credits/provider-credit-day.table.ts';
import { ProviderCreditEntryTable } from './provider-credits/provider-credit-entry.table.ts';
import { ProviderCreditTable } from './provider-credits/provider-credit.table.ts';
import { FixedCostPeriodTable } from './fixed-costs/fixed-cost-period.table.ts';
import { FixedCostTable } from './fixed-costs/fixed-cost.table.ts';
import { EventPackTable } from './credits/event-pack.table.ts';
import { FeedAcknowledgementTable } from './feed/feed-acknowledgement.table.ts';
import { FeedFollowerTable } from './feed/feed-follower.table.ts';
import { FeedHeadTable } from './feed/feed-head.table.ts';
import { PricedBatchTable } from './feed/priced-batch.table.ts';
import { PricingJobTable } from './pricing-queue/pricing-job.table.ts';
import { CachedTokensRuleTable } from './rates/matching/cached-tokens-rule.table.ts';
import { ContextPolicyTable } from './rates/context-policy.table.ts';
import { ModelAliasTable } from './rates/model-alias.table.ts';
import { RateAliasTable } from './rates/rate-alias.table.ts';
import { RateCardVersionTable } from './rates/rate-card-version.table.ts';
import { RateCardTable } from './rates/rate-card.table.ts';
import { RateGenerationTable } from './rates/rate-generation.table.ts';
import { RateTierTable } from './rates/rate-tier.table.ts';
import { RateVariantTable } from './rates/rate-variant.table.ts';
import { RepricingTable } from './repricing/repricing.table.ts';
import { UnpricedEventTable } from './ledger/unpriced-event.table.ts';
import { UnknownFieldTable } from './events/unknown-field.table.ts';
import { AttributeMappingTable } from './telemetry/attribute-mapping.table.ts';
import { TelemetryParentTable } from './telemetry/telemetry-parent.table.ts';
import { TelemetrySourceTable } from './telemetry/telemetry-source.table.ts';
import { UsageEventTable } from './events/usage-event.table.ts';
import type { PricingLoops } from './pricing-queue/price-claimed-jobs.step.ts';
import { priceEventsJob } from './pricing-queue/price-events.job.ts';
import { priceShortQueuesJob } from './pricing-queue/price-short-queues.job.ts';
import { pruneFeedJob } from './feed/prune-feed.job.ts';
import { OperationTable } from './operations/operation.table.ts';
import { runOperations } from './operations/run-operations.job.ts';
import { importCatalogue } from './rate-changes/import-catalogue.operation.ts';
import { profileUsageJob } from './simulation/profile-usage.job.ts';
import { UsageProfileDayTable } from './simulation/usage-profile-day.table.ts';
import { UsageProfileTable } from './simulation/usage-profile.table.ts';
import { reportViews } from './report-views/report-views.query.ts';
import { resolvers } from './resolvers.ts';

export const costing: SubgraphDefinition = {
  name: 'costing',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [
    UsageEventTable,
    AttributeMappingTable,
    TelemetryParentTable,
    TelemetrySourceTable,
    UnknownFieldTable,
    PricingJobTable,
    CreditAccountTable,
    EventPackTable,
    CostEntryTable,
    UnpricedEventTable,
    CostHourTable,
    CostClosingTable,
    PricedBatchTable,
    RepricingTable,
    FeedHeadTable,
    FeedAcknowledgementTable,
    EndUserErasureTable,
    MetadataRetentionTable,
    FeedFollowerTable,
    RateCardTable,
    RateAliasTable,
    ModelAliasTable,
    ContextPolicyTable,
    CachedTokensRuleTable,
    AgreementTable,
    AgreementTermTable,
    AllowanceTable,
    AllowancePeriodTable,
    AllowanceTopUpTable,
    HoldTable,
    RateCardVersionTable,
    RateTierTable,
    RateVariantTable,
    RateGenerationTable,
    CatalogReleaseTable,
    AuditRecordTable,
    OperationTable,
    UsageProfileTable,
    UsageProfileDayTable,
    FixedCostTable,
    FixedCostPeriodTable,
    AllocationDayTable,
    AllocationEntryTable,
    CostAdjustmentTable,
    ProviderCreditTable,
    ProviderCreditDayTable,
    ProviderCreditEntryTable,
    CommitmentTable,
    CommitmentDayTable,
    CommitmentEntryTable,
    homeTable('costing'),
  ],
  migrationsFolder: new URL('./migrations/', import.meta.url),
  distribution: {
    referenceTables: [
      'rate_generation',
      'rate_card',
      'rate_card_version',
      'rate_tier',
      'rate_variant',
      'rate_alias',
      'feed_follower',
    ],
  },
  reportViews,
  resolvers,
  computedTypes: ['UsageEvent'],
  jobs: (dependencies) => [
    ...pricingJobs(dependencies),
    runOperations(dependencies),
    pruneFeedJob(dependencies),
    expireHoldsJob(dependencies),
    dropMetadataJob(dependencies),
    profileUsageJob(dependencies),
    allocateFixedCostsJob(dependencies),
    burnProviderCreditsJob(dependencies),
    computeCommitmentsJob(dependencies),
    deletedOrganizationsJob(dependencies),
  ],
  async prepare({ database }, progress) {
    if (await database.system((tx) => isImported(tx, BUILT_IN_SOURCE))) return;
    progress('Importing the price catalogue');
    const principal = servicePrincipal('costing', randomUuid());
    const { added, changed, held } = await importCatalogue({ database, principal }).catch((error: unknown) => {
      // A person must decide about a catalogue that shrank; the stored rates stay in force.
      if (!(error instanceof KnownError)) throw error;
      progress(`The price catalogue was not imported: ${error.message}`);
      return { added: [], changed: [], held: [] };
    });
    const numbers = `${added.length} rate cards added, ${changed.length} changed, ${held.length} held for review`;
    progress(`Imported the price catalogue: ${numbers}`);
  },
};

function pricingJobs(dependencies: SubgraphDependencies): Job[] {
  const loops: PricingLoops = { busy: 0 };
  return [priceEventsJob(dependencies, loops), priceShortQueuesJob(dependencies, loops)];
}
