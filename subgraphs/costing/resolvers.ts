/** Maps GraphQL fields to operations, without logic of its own. */
import { listAllowances } from './allowances/list-allowances.operation.ts';
import { listTopUps } from './allowances/list-top-ups.operation.ts';
import { answerSpendCheck } from './holds/answer-spend-check.operation.ts';
import { listHolds } from './holds/list-holds.operation.ts';
import { getShortfalls } from './commitments/get-shortfalls.operation.ts';
import { listCommitments } from './commitments/list-commitments.operation.ts';
import { proposeCommitment } from './commitments/propose-commitment.operation.ts';
import { getUsedCredits } from './provider-credits/get-used-credits.operation.ts';
import { listProviderCredits } from './provider-credits/list-provider-credits.operation.ts';
import { proposeProviderCredit } from './provider-credits/propose-provider-credit.operation.ts';
import { listAgreements } from './agreements/list-agreements.operation.ts';
import { proposeAgreement } from './agreements/propose-agreement.operation.ts';
import { requestedWindow, windowId } from '#kernel/time/requested-window.ts';
import { parseWindow, type Window } from '#kernel/time/window.ts';
import { globalId, keyOfGlobalId } from '#platform/subgraph/global-id.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import { selectsField } from '#platform/subgraph/selects-field.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { getCostClosing } from './ledger/get-cost-closing.operation.ts';
import { getLedgerCostsByEndUser } from './ledger/get-ledger-costs-by-end-user.operation.ts';
import { getCostAdjustments } from './adjustments/get-cost-adjustments.operation.ts';
import { listCostAdjustments } from './adjustments/list-cost-adjustments.operation.ts';
import { sumCostAdjustments } from './adjustments/sum-cost-adjustments.operation.ts';
import { listLateCharges } from './ledger/list-late-charges.operation.ts';
import { listBookedCorrections } from './ledger/list-booked-corrections.operation.ts';
import { getLedgerCosts } from './ledger/get-ledger-costs.operation.ts';
import { listErasures } from './erasure/list-erasures.operation.ts';
import { getMetadataRetention } from './erasure/get-metadata-retention.operation.ts';
import { explainCost } from './ledger/explain-cost.operation.ts';
import { getOperation } from './operations/get-operation.operation.ts';
import { listOperations } from './operations/list-operations.operation.ts';
import { getRepricing } from './repricing/get-repricing.operation.ts';
import { listRepricedPeriods } from './repricing/list-repriced-periods.operation.ts';
import { listAuditRecords } from './audit-log/list-audit-records.operation.ts';
import { matchRate } from './rates/match-rate.operation.ts';
import { getCredits } from './credits/get-credits.operation.ts';
import { listEndUserUsageEvents } from './events/list-end-user-usage-events.operation.ts';
import { countEventsAtBase } from './ledger/count-events-at-base.operation.ts';
import { countGuessedEvents } from './ledger/count-guessed-events.operation.ts';
import { getCostingHealth } from './ledger/get-costing-health.operation.ts';
import { getLedgerCost } from './ledger/get-ledger-cost.operation.ts';
import { getLedgerPage } from './feed/get-ledger-page.operation.ts';
import { listMetadataRetentions } from './erasure/list-metadata-retentions.operation.ts';
import { listFeedMarks } from './feed/list-feed-marks.operation.ts';
import { getUsagePrice } from './pricing/get-usage-price.operation.ts';
import { getPricingBacklog } from './pricing-queue/get-pricing-backlog.operation.ts';
import { getRateEstimationTable } from './rates/get-rate-estimation-table.operation.ts';
import { getUsageAggregation } from './events/get-usage-aggregation.operation.ts';
import { listUnknownFields } from './events/list-unknown-fields.operation.ts';
import { listUsageEvents } from './events/list-usage-events.operation.ts';
import { getUsageSummary } from './events/get-usage-summary.operation.ts';
import { exportAllocatedLines } from './fixed-costs/export-allocated-lines.operation.ts';
import { getEndUserAllocatedCost } from './fixed-costs/get-end-user-allocated-cost.operation.ts';
import { getFixedCost } from './fixed-costs/get-fixed-cost.operation.ts';
import { getAllocatedUntil } from './fixed-costs/get-allocated-until.operation.ts';
import { getEffectivePrice } from './fixed-costs/get-effective-price.operation.ts';
import { getUtilisation } from './fixed-costs/get-utilisation.operation.ts';
import { listAllocatedCosts } from './fixed-costs/list-allocated-costs.operation.ts';
import { listFixedCosts } from './fixed-costs/list-fixed-costs.operation.ts';
import { previewFixedCost } from './fixed-costs/preview-fixed-cost.operation.ts';
import { getCatalogue } from './rate-changes/get-catalogue.operation.ts';
import { listUpcomingRateChanges } from './simulation/list-upcoming-rate-changes.operation.ts';
import { listCachedTokens } from './rates/matching/list-cached-tokens.operation.ts';
import { listGuessedSources } from './repricing/list-guessed-sources.operation.ts';
import { proposeCachedTokens } from './repricing/propose-cached-tokens.operation.ts';
import { getContextPolicy } from './rate-changes/get-context-policy.operation.ts';
import { listModelAliases } from './rate-changes/list-model-aliases.operation.ts';
import { proposeModelAlias } from './rate-changes/propose-model-alias.operation.ts';
import { proposeRate } from './rate-changes/propose-rate.operation.ts';
import { listNegotiatedRates } from './rates/list-negotiated-rates.operation.ts';
import { summarizeCosts } from './ledger/summarize-costs.operation.ts';
import { getVerificationDays } from './verification/get-verification-days.operation.ts';
import { listLedgerDays } from './verification/list-ledger-days.operation.ts';
import { sumLedger } from './verification/sum-ledger.operation.ts';
import { getTelemetryMapping } from './telemetry/get-telemetry-mapping.operation.ts';
import { listTelemetrySources } from './telemetry/list-telemetry-sources.operation.ts';
import { getReceivedEvent } from './ledger/received/get-received-event.operation.ts';
import { listReceivedEvents } from './ledger/received/list-received-events.operation.ts';
import { listApiKeyCosts } from './ledger/received/list-api-key-costs.operation.ts';
import { listEvents } from './ledger/received/list-events.operation.ts';
import { listSessionEvents } from './ledger/received/list-session-events.operation.ts';
import { getUsageEventOfNode } from './ledger/received/get-usage-event-of-node.operation.ts';
import { getUsageEvent } from './ledger/received/get-usage-event.operation.ts';
import { getRateCard } from './rates/get-rate-card.operation.ts';
import { listRateCards } from './rates/list-rate-cards.operation.ts';
import { verifyCosting } from './verification/verify-costing.operation.ts';
import type { Resolvers } from './resolvers.generated.ts';
import { checkCatalogue } from './simulation/check-catalogue.operation.ts';
import { simulateCosts } from './simulation/simulate-costs.operation.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import { mutationResolvers } from './mutation-resolvers.ts';

export function resolvers({ gateway, config }: Pick<SubgraphDependencies, 'gateway' | 'config'>): Resolvers {
  return {
    Query: {
      window: (_, args, context) => requestedWindow(args, requestedAt(context)),
      credits: (_, _args, context) => getCredits(context),
      ownersSetPlans: () => config.ownersSetPlans,
      costSummary: (_, { timeWindow }, context) => summarizeCosts(context, timeWindow),
      feedMarks: (_, query, context) => listFeedMarks(context, query),
      metadataRetentions: (_, query, context) => listMetadataRetentions(context, query),
      ledgerPage: (_, query, context) => getLedgerPage(context, query),
      rateEstimationTable: async (_, _args, context) => (await getRateEstimationTable(context)).table(),
      rateEstimationList: async (_, _args, context) => (await getRateEstimationTable(context)).list(),
      rateMatch: (_, query, context) => matchRate(context, query),
      priceUsage: (_, query, context) => getUsagePrice(context, query),
      costExplanation: (_, { eventId, asOf }, context) => explainCost(context, eventId, asOf ?? null),
      verifyCosting: (_, request, context) => verifyCosting(context, request),
      pricingBacklog: (_, _args, context) => getPricingBacklog(context),
      verificationDays: (_, { afterDay }, context) => getVerificationDays(context, afterDay ?? null),
      ledgerDays: (_, request, context) => listLedgerDays(context, request),
      ledgerSums: (_, { days }, context) => sumLedger(context, days),
      costingOperations: (_, page, context) => listOperations(context, page),
      costingOperation: (_, { id }, context) => getOperation(context, id),
      repricing: (_, { id }, context) => getRepricing(context, id),
      repricedPeriods: (_, window, context) => listRepricedPeriods(context, window),
      costingAuditLog: (_, page, context) => listAuditRecords(context, page),
      costClosing: (_, _args, context) => getCostClosing(context),
      unknownFields: (_, _args, context) => listUnknownFields(context),
      rateCards: (_, request, context) => listRateCards(context, request),
      rateCard: (_, { rateCardId }, context) => getRateCard(context, rateCardId),
      catalogue: (_, _args, context) => getCatalogue(context),
      catalogueCheck: (_, { prices }, context) => checkCatalogue(context, prices),
      upcomingRateChanges: (_, _args, context) => listUpcomingRateChanges(context),
      usageEvent: (_, { eventId }, context) => getUsageEvent(context, { id: eventId }),
      receivedEvents: (_, request, context) => listReceivedEvents(context, request),
      receivedEvent: (_, request, context) => getReceivedEvent(context, request),
      telemetrySources: (_, { livemode }, context) => listTelemetrySources(context, livemode),
      telemetryMapping: (_, _args, context) => getTelemetryMapping(context),
      costingHealth: (_, { days }, context, info) =>
        getCostingHealth(context, days, (list) => selectsField(info, list)),
      contextPolicy: (_, _args, context) => getContextPolicy(context),
      rateProposal: (_, { input }, context) => proposeRate(context, input),
      modelAliasProposal: (_, input, context) => proposeModelAlias(context, input),
      negotiatedRates: (_, _args, context) => listNegotiatedRates(context),
      costAdjustments: (_, { ids }, context) => getCostAdjustments(context, ids),
      agreements: (_, _args, context) => listAgreements(context),
      fixedCosts: (_, _args, context) => listFixedCosts(context),
      fixedCost: (_, { key }, context) => getFixedCost(context, key),
      fixedCostPreview: (_, { input, first, ...window }, context) =>
        previewFixedCost(context, input, requestedWindow(window, requestedAt(context)), first),
      allowances: (_, page, context) => listAllowances(context, page),
      allowanceTopUps: (_, page, context) => listTopUps(context, page),
      holds: (_, page, context) => listHolds(context, page),
      spendCheck: (_, { input }, context) => answerSpendCheck(context, input),
      providerCredits: (_, { asOf }, context) => listProviderCredits(context, asOf ?? null),
      providerCreditProposal: (_, { input }, context) => proposeProviderCredit(context, input),
      commitments: (_, { asOf }, context) => listCommitments(context, asOf ?? null),
      commitmentProposal: (_, { input }, context) => proposeCommitment(context, input),
      agreementProposal: (_, { input }, context) => proposeAgreement(context, input),
      cachedTokensRules: (_, _args, context) => listCachedTokens(context),
      guessedSources: (_, { days }, context) => listGuessedSources(context, days),
      cachedTokensProposal: (_, { input, days }, context) => proposeCachedTokens(context, input, days),
      modelAliases: (_, _args, context) => listModelAliases(context),
      unitRateEstimationTable: async (_, _args, context) => (await getRateEstimationTable(context)).units(),
      metadataRetention: (_, _args, context) => getMetadataRetention(context),
      endUserErasures: (_, page, context) => listErasures(context, page),
    },
    Window: {
      __resolveReference: (reference): WindowWithCosts => ({ ...reference, ...parseWindow(reference) }),
      id: (window, _args, context) => windowId(context.principal.organizationId, window),
      usageSummary: (window, _args, context) => getUsageSummary(context, window),
      usageEvents: (window, request, context) => listUsageEvents(context, window, request),
      events: (window, request, context) => listEvents(context, window, request),
      costsByApiKey: (window, page, context) => listApiKeyCosts(context, window, page),
      usageAggregation: (window, _args, context) => getUsageAggregation(context, window),
      shortfalls: (window, _, context) => getShortfalls(context, window),
      bookedShortfall: async (window, _, context) => (await getShortfalls(context, window)).total,
      usedCredits: (window, _, context) => getUsedCredits(context, window),
      ledgerCosts: (window, { asOf }, context) => getLedgerCosts(context, window, asOf ?? null),
      costAdjustments: (window, page, context) => listCostAdjustments(context, window, page),
      adjustmentTotal: (window, _args, context) => sumCostAdjustments(context, window),
      bookedCorrections: (window, _args, context) => listBookedCorrections(context, window),
      lateCharges: (window, _args, context) => listLateCharges(context, window),
      ledgerCostsByEndUser: (window, request, context) => getLedgerCostsByEndUser(context, window, request),
      allocatedCosts: (window, request, context) => listAllocatedCosts(context, window, request),
      allocatedCostLines: (window, _args, context) => exportAllocatedLines(context, window),
      ledgerCost: (window, _args, context) => getLedgerCost(context, window),
      simulateCosts: (window: WindowWithCosts, request, context) =>
        // If attribution failed to provide the cost, the gateway reports attribution's error for this field.
        window.endUserCostLines
          ? simulateCosts(context, window, { ...request, costs: window.endUserCostLines as EndUserCostLines })
          : null,
      eventsAtBase: (window, _args, context) => countEventsAtBase(context, window),
      guessedEvents: (window, _args, context) => countGuessedEvents(context, window),
    },
    UsageEventsPage: {
      events: (page, _, context) => page.events().map((event) => getUsageEvent(context, event)),
    },
    UsageEvent: {
      __resolveReference: (reference, context) =>
        'id' in reference
          ? getUsageEventOfNode(context, keyOfGlobalId(context, reference.id))
          : getUsageEvent(context, { id: reference.eventId }),
      id: ({ eventId }, _, context) => globalId(context, 'UsageEvent', eventId),
      explanation: ({ eventId }, { asOf }, context) => explainCost(context, eventId, asOf ?? null),
    },
    CostEntry: {
      rateCard: ({ rateCardId }, _, context) => (rateCardId === null ? null : getRateCard(context, rateCardId)),
    },
    RateCard: {
      __resolveReference: (reference, context) =>
        getRateCard(context, 'id' in reference ? keyOfGlobalId(context, reference.id) : reference.rateCardId),
    },
    RateMatch: {
      rateCard: ({ rateCardId }, _, context) => getRateCard(context, rateCardId),
    },
    Model: {
      __resolveReference: (reference) => reference,
      rateMatch: ({ slug }, query, context) => matchRate(context, { ...query, model: slug }),
    },
    SessionTree: {
      __resolveReference: (session) => session,
      events: ({ sessionId, startedAt, endedAt }, page, context) =>
        // If attribution failed to provide the times, the gateway reports attribution's error for this field.
        startedAt && endedAt ? listSessionEvents(context, { sessionId, startedAt, endedAt }, page) : null,
    },
    EndUser: {
      usageEvents: ({ externalId }, request, context) => listEndUserUsageEvents(context, externalId, request),
      allocatedCost: ({ externalId }, window, context) =>
        getEndUserAllocatedCost(context, externalId, requestedWindow(window, requestedAt(context))),
    },
    FixedCost: {
      allocatedUntil: (fixedCost, _, context) => getAllocatedUntil(context, fixedCost),
      utilisation: (fixedCost, window, context) =>
        getUtilisation(context, fixedCost, requestedWindow(window, requestedAt(context))),
      effectivePrice: (fixedCost, window, context) =>
        getEffectivePrice(context, fixedCost, requestedWindow(window, requestedAt(context))),
    },
    Mutation: mutationResolvers({ gateway, config }),
  };
}

/** Values passed by the gateway; costs only if a field requires them. */
interface WindowWithCosts extends Window {
  readonly endUserCostLines?: unknown;
}
