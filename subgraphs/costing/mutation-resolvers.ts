/** Mutation resolvers, each of which calls one operation. Mutations for our own pages return user errors (decision 47). */
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { ownPasswordGuard } from '#platform/subgraph/own-password.ts';
import { deleteOrganizationData } from '#platform/subgraph/delete-organization-rows.ts';
import { bookCostAdjustment } from './adjustments/book-cost-adjustment.operation.ts';
import { revertCostAdjustment } from './adjustments/revert-cost-adjustment.operation.ts';
import { removeAgreement } from './agreements/remove-agreement.operation.ts';
import { removeCommitment } from './commitments/remove-commitment.operation.ts';
import { saveCommitment } from './commitments/save-commitment.operation.ts';
import { removeProviderCredit } from './provider-credits/remove-provider-credit.operation.ts';
import { saveProviderCredit } from './provider-credits/save-provider-credit.operation.ts';
import { saveAgreement } from './agreements/save-agreement.operation.ts';
import { endFixedCost } from './fixed-costs/end-fixed-cost.operation.ts';
import { saveFixedCost } from './fixed-costs/save-fixed-cost.operation.ts';
import { removeAllowance } from './allowances/remove-allowance.operation.ts';
import { saveAllowance } from './allowances/save-allowance.operation.ts';
import { topUpAllowance } from './allowances/top-up-allowance.operation.ts';
import { openHold } from './holds/open-hold.operation.ts';
import { releaseHold } from './holds/release-hold.operation.ts';
import { closeCosts } from './ledger/close-costs.operation.ts';
import { reopenCosts } from './ledger/reopen-costs.operation.ts';
import { addEventPack } from './credits/add-event-pack.operation.ts';
import { eraseEndUser } from './erasure/erase-end-user.operation.ts';
import { startEndUserErasure } from './erasure/start-end-user-erasure.operation.ts';
import { setMetadataRetention } from './erasure/set-metadata-retention.operation.ts';
import { importCatalogue } from './rate-changes/import-catalogue.operation.ts';
import { acknowledgeFeeds } from './feed/acknowledge-feeds.operation.ts';
import { followPricedFeed } from './feed/follow-priced-feed.operation.ts';
import { ingestUsageEvent } from './ingestion/ingest-usage-event.operation.ts';
import { ingestUsageEvents } from './ingestion/ingest-usage-events.operation.ts';
import { cancelOperation } from './operations/cancel-operation.operation.ts';
import { resumeOperation } from './operations/resume-operation.operation.ts';
import { startRepricing } from './repricing/start-repricing.operation.ts';
import { startRevert } from './repricing/start-revert.operation.ts';
import { reprice } from './repricing/reprice.operation.ts';
import { retryFailedEvents } from './pricing-queue/retry-failed-events.operation.ts';
import { revertRepricing } from './repricing/revert-repricing.operation.ts';
import { setPlan } from './credits/set-plan.operation.ts';
import { setCachedTokens } from './rate-changes/set-cached-tokens.operation.ts';
import { setContextPolicy } from './rate-changes/set-context-policy.operation.ts';
import { setModelAlias } from './rate-changes/set-model-alias.operation.ts';
import { endRate } from './rate-changes/end-rate.operation.ts';
import { sendTestEvent } from './ingestion/send-test-event.operation.ts';
import { fillSample } from './sample/fill-sample.operation.ts';
import { setRate } from './rate-changes/set-rate.operation.ts';
import { ingestLitellm } from './telemetry/ingest-litellm.operation.ts';
import { ingestProviderResponses } from './telemetry/ingest-provider-responses.operation.ts';
import { ingestTelemetry } from './telemetry/ingest-telemetry.operation.ts';
import { setTelemetryMapping } from './telemetry/set-telemetry-mapping.operation.ts';
import { takeInput, withChangeAndUserErrors, withUserErrors } from '#platform/subgraph/user-errors.ts';
import { fail } from '#kernel/errors.ts';
import type {
  CachedTokensSetInput,
  PlanSetInput,
  RateEndInput,
  AgreementSaveInput,
  CommitmentSaveInput,
  ProviderCreditSaveInput,
  FixedCostEndInput,
  FixedCostSaveInput,
  AllowanceSaveInput,
  AllowanceTopUpInput,
  HoldOpenInput,
  RateSetInput,
  RepricingStartInput,
} from './resolvers.generated.ts';
import type { MutationResolvers } from './resolvers.generated.ts';

export function mutationResolvers({
  gateway,
  config,
}: Pick<SubgraphDependencies, 'gateway' | 'config'>): MutationResolvers {
  const withOwnPassword = ownPasswordGuard(gateway);
  return takeInput<MutationResolvers>({
    acknowledgeFeeds: (_, request, context) => acknowledgeFeeds(context, request),
    followPricedFeed: (_, request, context) => followPricedFeed(context, request),
    ingestUsageEvents: (_, { events }, context) => ingestUsageEvents(context, events),
    ingestUsageEvent: (_, { event }, context) => ingestUsageEvent(context, event),
    ingestTelemetry: (_, request, context) => ingestTelemetry(context, request),
    ingestProviderResponses: (_, sent, context) => ingestProviderResponses(context, sent),
    ingestLitellm: (_, sent, context) => ingestLitellm(context, sent),
    telemetryMappingSet: withUserErrors('telemetryMapping', (_, mapping, context) =>
      setTelemetryMapping(context, mapping),
    ),
    testEventSend: withUserErrors('event', (_, _args, context) => sendTestEvent(context)),
    planSet: withUserErrors('credits', (_: unknown, plan: PlanSetInput, context) => {
      if (context.principal.kind === 'session' && !config.ownersSetPlans)
        fail('FORBIDDEN', 'Only the operator of this service can set plans');
      return setPlan(context, plan);
    }),
    eventPackAdd: withUserErrors('eventPack', (_, pack, context) => addEventPack(context, pack)),
    rateSet: withUserErrors('rate', (_: unknown, input: RateSetInput, context) => setRate(context, input)),
    rateEnd: withUserErrors('rate', (_: unknown, request: RateEndInput, context) => endRate(context, request)),
    modelAliasSet: withChangeAndUserErrors(NO_ALIAS, (_, input, context) => setModelAlias(context, input)),
    cachedTokensSet: withUserErrors('cachedTokensRule', (_: unknown, input: CachedTokensSetInput, context) =>
      setCachedTokens(context, input),
    ),
    agreementSave: withUserErrors('agreement', (_: unknown, input: AgreementSaveInput, context) =>
      saveAgreement(context, input),
    ),
    providerCreditSave: withUserErrors('providerCredit', (_: unknown, input: ProviderCreditSaveInput, context) =>
      saveProviderCredit(context, input),
    ),
    providerCreditRemove: withUserErrors('removedId', (_, { id }, context) => removeProviderCredit(context, id)),
    commitmentSave: withUserErrors('commitment', (_: unknown, input: CommitmentSaveInput, context) =>
      saveCommitment(context, input),
    ),
    commitmentRemove: withUserErrors('removedId', (_, { id }, context) => removeCommitment(context, id)),
    agreementRemove: withUserErrors('removedId', (_, { id }, context) => removeAgreement(context, id)),
    costAdjustmentBook: withUserErrors('costAdjustment', (_, input, context) => bookCostAdjustment(context, input)),
    costAdjustmentRevert: withUserErrors('costAdjustment', (_, { id }, context) => revertCostAdjustment(context, id)),
    fixedCostSave: withUserErrors('fixedCost', (_: unknown, input: FixedCostSaveInput, context) =>
      saveFixedCost(context, input),
    ),
    fixedCostEnd: withUserErrors('fixedCost', (_: unknown, input: FixedCostEndInput, context) =>
      endFixedCost(context, input),
    ),
    allowanceSave: withUserErrors('allowance', (_: unknown, input: AllowanceSaveInput, context) =>
      saveAllowance(context, input),
    ),
    allowanceRemove: withUserErrors('removedId', (_, { id }, context) => removeAllowance(context, id)),
    allowanceTopUp: withUserErrors('allowance', (_: unknown, input: AllowanceTopUpInput, context) =>
      topUpAllowance(context, input),
    ),
    holdOpen: withUserErrors('decision', (_: unknown, input: HoldOpenInput, context) => openHold(context, input)),
    holdRelease: withUserErrors('hold', (_, { id }, context) => releaseHold(context, id)),
    contextPolicySet: withChangeAndUserErrors(NO_POLICY, (_, { unknownContext }, context) =>
      setContextPolicy(context, unknownContext),
    ),
    catalogueImport: withUserErrors('changes', (_, { providers, accept }, context) =>
      importCatalogue(context, providers, accept),
    ),
    repricingRun: withUserErrors('repricing', (_, request, context) => reprice(context, request)),
    repricingRevert: withUserErrors('repricing', (_, { repricingId }, context) =>
      revertRepricing(context, repricingId),
    ),
    repricingStart: withUserErrors('operation', (_: unknown, request: RepricingStartInput, context) =>
      startRepricing(context, request),
    ),
    repricingRevertStart: withUserErrors('operation', (_, { repricingId }, context) =>
      startRevert(context, repricingId),
    ),
    sampleCostsFill: withUserErrors('operation', (_, _args, context) => fillSample(context)),
    costingOperationCancel: withUserErrors('operation', (_, { id }, context) => cancelOperation(context, id)),
    costingOperationResume: withUserErrors('operation', (_, { id }, context) => resumeOperation(context, id)),
    endUserErase: withUserErrors(
      'erasure',
      withOwnPassword((_, request, context) => eraseEndUser(context, request)),
    ),
    endUserErasureStart: withUserErrors(
      'operation',
      withOwnPassword((_, request, context) => startEndUserErasure(context, request)),
    ),
    metadataRetentionSet: withUserErrors(
      'metadataRetention',
      withOwnPassword((_, retention, context) => setMetadataRetention(context, retention)),
    ),
    costingDataDelete: withUserErrors('deletedRows', (_, request, context) => deleteOrganizationData(context, request)),
    costsClose: withUserErrors(
      'closing',
      withOwnPassword((_, { through }, context) => closeCosts(context, through)),
    ),
    costsReopen: withUserErrors(
      'closing',
      withOwnPassword((_, { from }, context) => reopenCosts(context, from)),
    ),
    failedEventsRetry: withUserErrors('events', (_, _args, context) => retryFailedEvents(context)),
  });
}

/** Null values of the payload fields besides user errors. */
const NO_ALIAS = { modelAlias: null, requeuedEvents: null };
const NO_POLICY = { contextPolicy: null, requeuedEvents: null };
