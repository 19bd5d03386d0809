/** Routes the graph's fields to operations; decides nothing. */
import type { SubgraphSurroundings } from '../../platform/subgraph/subgraph.ts';
import { addEventPack } from './operations/add-event-pack.ts';
import { explainCost } from './operations/explain-cost.ts';
import { importCatalogue } from './operations/import-catalogue.ts';
import { ingestUsageEvent } from './operations/ingest-usage-event.ts';
import { ingestUsageEvents } from './operations/ingest-usage-events.ts';
import { listAuditRecords } from './operations/list-audit-records.ts';
import { matchRate } from './operations/match-rate.ts';
import { openWindow } from './operations/open-window.ts';
import { readCredits } from './operations/read-credits.ts';
import { readEndUserUsageEvents } from './operations/read-end-user-usage-events.ts';
import { readLedgerCost } from './operations/read-ledger-cost.ts';
import { readPricedFeed } from './operations/read-priced-feed.ts';
import { readPricingBacklog } from './operations/read-pricing-backlog.ts';
import { readRateEstimationTable } from './operations/read-rate-estimation-table.ts';
import { readUsageAggregation } from './operations/read-usage-aggregation.ts';
import { readUsageEvents } from './operations/read-usage-events.ts';
import { readUsageSummary } from './operations/read-usage-summary.ts';
import { reprice } from './operations/reprice.ts';
import { retryFailedEvents } from './operations/retry-failed-events.ts';
import { revertRepricing } from './operations/revert-repricing.ts';
import { setPlan } from './operations/set-plan.ts';
import { setRate } from './operations/set-rate.ts';
import { summarizeCosts } from './operations/summarize-costs.ts';
import { verifyCosting } from './operations/verify-costing.ts';
import type { Resolvers } from './resolvers.generated.ts';

export function resolvers(_surroundings: SubgraphSurroundings): Resolvers {
  return {
    Query: {
      window: (_, span) => openWindow(span),
      credits: (_, _args, context) => readCredits(context),
      costSummary: (_, { timeWindow }, context) => summarizeCosts(context, timeWindow),
      pricedFeed: (_, question, context) => readPricedFeed(context, question),
      rateEstimationTable: async (_, _args, context) => (await readRateEstimationTable(context)).table(),
      rateEstimationList: async (_, _args, context) => (await readRateEstimationTable(context)).list(),
      rateMatch: (_, question, context) => matchRate(context, question),
      costExplanation: (_, { eventId, asOf }, context) => explainCost(context, eventId, asOf ?? null),
      verifyCosting: (_, _args, context) => verifyCosting(context),
      pricingBacklog: (_, _args, context) => readPricingBacklog(context),
      costingAuditLog: (_, page, context) => listAuditRecords(context, page),
    },
    Window: {
      __resolveReference: ({ start, end }) => openWindow({ start: String(start), end: String(end) }),
      usageSummary: (span, _args, context) => readUsageSummary(context, span),
      usageEvents: (span, request, context) => readUsageEvents(context, span, request),
      usageAggregation: (span, _args, context) => readUsageAggregation(context, span),
      ledgerCost: (span, _args, context) => readLedgerCost(context, { start: String(span.start), end: String(span.end) }),
    },
    UsageEventsPage: {
      events: (page) => page.events(),
      eventList: (page) => page.eventList(),
    },
    EndUser: {
      usageEvents: ({ externalId }, request, context) => readEndUserUsageEvents(context, externalId, request),
    },
    Mutation: {
      ingestUsageEvents: (_, { events }, context) => ingestUsageEvents(context, events),
      ingestUsageEvent: (_, { event }, context) => ingestUsageEvent(context, event),
      setPlan: (_, plan, context) => setPlan(context, plan),
      addEventPack: (_, pack, context) => addEventPack(context, pack),
      setRate: (_, { input }, context) => setRate(context, input),
      importCatalogue: (_, { providers, accept }, context) => importCatalogue(context, providers, accept),
      reprice: (_, request, context) => reprice(context, request),
      revertRepricing: (_, { repricingId }, context) => revertRepricing(context, repricingId),
      retryFailedEvents: (_, _args, context) => retryFailedEvents(context),
    },
  };
}
