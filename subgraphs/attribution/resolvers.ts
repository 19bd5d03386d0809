/** Maps the fields of attribution's schema to operations. */
import { deleteOrganizationData } from '#platform/subgraph/delete-organization-rows.ts';
import { globalId, keyOfGlobalId } from '#platform/subgraph/global-id.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { ownPasswordGuard } from '#platform/subgraph/own-password.ts';
import { readAuditLog } from '#platform/subgraph/read-audit-log.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { requestedWindow, windowId } from '#kernel/time/requested-window.ts';
import { parseWindow } from '#kernel/time/window.ts';
import { requestedAt } from '#platform/subgraph/requested-at.ts';
import { takeInput, withChangeAndUserErrors, withUserErrors } from '#platform/subgraph/user-errors.ts';
import { listChargeDays } from './charges/list-charge-days.operation.ts';
import { breakDownByAttribution } from './breakdowns/break-down-by-attribution.operation.ts';
import { getEndUser } from './end-users/get-end-user.operation.ts';
import { getEndUserWithCosts } from './breakdowns/get-end-user-with-costs.operation.ts';
import { breakDownByDimension } from './breakdowns/break-down-by-dimension.operation.ts';
import { breakDownByModel } from './breakdowns/break-down-by-model.operation.ts';
import { breakDownByProvider } from './breakdowns/break-down-by-provider.operation.ts';
import { breakDownEndUserByModel } from './breakdowns/break-down-end-user-by-model.operation.ts';
import { exportEndUserCostLine } from './selections/export-end-user-cost-line.operation.ts';
import { getEndUserOverTime } from './selections/get-end-user-over-time.operation.ts';
import { getEndUserTrend } from './trends/get-end-user-trend.operation.ts';
import { listCostPairs } from './selections/list-cost-pairs.operation.ts';
import { registerCostPair } from './selections/register-cost-pair.operation.ts';
import { retireCostPair } from './selections/retire-cost-pair.operation.ts';
import { getCostTrend } from './selections/get-cost-trend.operation.ts';
import { getSessionTree } from './sessions/get-session-tree.operation.ts';
import { getTrend } from './trends/get-trend.operation.ts';
import { getFirstSeen } from './end-users/get-first-seen.operation.ts';
import { listEndUsers } from './end-users/list-end-users.operation.ts';
import { suggestEndUsers } from './end-users/suggest-end-users.operation.ts';
import { eraseAttributionEndUser } from './outcome-costs/erase-attribution-end-user.operation.ts';
import { getOutcome } from './outcome-costs/get-outcome.operation.ts';
import { getOutcomeTrend } from './outcome-costs/get-outcome-trend.operation.ts';
import { listOutcomeGroups } from './outcome-costs/list-outcome-groups.operation.ts';
import { listOutcomes } from './outcome-costs/list-outcomes.operation.ts';
import { fillSample } from './sample/fill-sample.operation.ts';
import { recordOutcomes } from './outcomes/record-outcomes.operation.ts';
import { exportCostDays } from './breakdowns/export-cost-days.operation.ts';
import { exportCostLines } from './breakdowns/export-cost-lines.operation.ts';
import { forecastCosts } from './selections/forecast-costs.operation.ts';
import { compareCosts } from './selections/compare-costs.operation.ts';
import { findEndUserOfNode } from './end-users/find-end-user-of-node.operation.ts';
import { findValueOfNode } from './selections/find-value-of-node.operation.ts';
import { listCosts } from './selections/list-costs.operation.ts';
import { listDimensionValues } from './breakdowns/list-dimension-values.operation.ts';
import { listUnregisteredKeys } from './dimensions/list-unregistered-keys.operation.ts';
import { listRegisteredDimensions } from './dimensions/list-registered-dimensions.operation.ts';
import { registerDimension } from './dimensions/register-dimension.operation.ts';
import { renameDimension } from './dimensions/rename-dimension.operation.ts';
import { retireDimension } from './dimensions/retire-dimension.operation.ts';
import { summarizeEndUserCosts } from './breakdowns/summarize-end-user-costs.operation.ts';
import { describeLag } from './feed/describe-lag.operation.ts';
import { listFigureWarnings } from './feed/list-figure-warnings.operation.ts';
import { startRebuild } from './feed/start-rebuild.operation.ts';
import { verifyRollups } from './rollups/verify-rollups.operation.ts';
import { cancelOperation } from './operations/cancel-operation.operation.ts';
import { getOperation } from './operations/get-operation.operation.ts';
import { listOperations } from './operations/list-operations.operation.ts';
import { resumeOperation } from './operations/resume-operation.operation.ts';
import { getSavings } from './charges/get-savings.operation.ts';
import { getBooks } from './verification/get-books.operation.ts';
import { listBookDifferences } from './verification/list-book-differences.operation.ts';
import { startVerification } from './verification/start-verification.operation.ts';
import type { GraphQLResolveInfo } from 'graphql';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type {
  CostFilter,
  EndUserCostsArgs,
  EndUserModelCosts,
  MutationResolvers,
  Resolvers,
} from './resolvers.generated.ts';

export function resolvers({ gateway }: Pick<SubgraphDependencies, 'gateway'>): Resolvers {
  const withOwnPassword = ownPasswordGuard(gateway);
  return {
    Query: {
      window: (_, args, context) => requestedWindow(args, requestedAt(context)),
      endUser: async (_, args, context, info) =>
        (await getEndUserWithCosts(context, args, info)) ?? getEndUser(context, args),
      costForecast: (_, { filter }, context) => forecastCosts(context, filter),
      endUsers: (_, args, context) => listEndUsers(context, args),
      endUserSuggestions: (_, request, context) => suggestEndUsers(context, request),
      dimensions: (_, { includeRetired }, context) => listRegisteredDimensions(context, includeRetired),
      unregisteredKeys: (_parent, _args, context) => listUnregisteredKeys(context),
      costPairs: (_parent, _args, context) => listCostPairs(context),
      session: (_, { sessionId }, context) => getSessionTree(context, sessionId),
      outcome: (_, request, context) => getOutcome(context, request),
      attributionLag: (_parent, _args, context) => describeLag(context),
      verifyAttribution: (_parent, args, context) => verifyRollups(context, args),
      books: (_parent, _args, context) => getBooks(context),
      bookDifferences: (_, page, context) => listBookDifferences(context, page),
      attributionOperations: (_, page, context) => listOperations(context, page),
      attributionOperation: (_, { id }, context) => getOperation(context, id),
      attributionAuditLog: (_, page, context) => readAuditLog(context, organizationOf(context), page),
    },
    Mutation: takeInput<MutationResolvers>({
      rebuildStart: withChangeAndUserErrors(NO_REBUILD, (_, period, context) => startRebuild(context, period)),
      verificationStart: withUserErrors('operation', (_parent, _args, context) => startVerification(context)),
      attributionOperationCancel: withUserErrors('operation', (_, { id }, context) => cancelOperation(context, id)),
      attributionOperationResume: withUserErrors('operation', (_, { id }, context) => resumeOperation(context, id)),
      attributionDataDelete: withUserErrors('deletedRows', (_, request, context) =>
        deleteOrganizationData(context, request),
      ),
      outcomesRecord: withChangeAndUserErrors(NO_OUTCOMES, (_, { outcomes }, context) =>
        recordOutcomes(context, outcomes),
      ),
      ingestOutcomes: withChangeAndUserErrors(NO_OUTCOMES, (_, { outcomes, newOutcomesMax }, context) =>
        recordOutcomes(context, outcomes, newOutcomesMax),
      ),
      sampleOutcomesFill: withChangeAndUserErrors({ outcomes: null }, (_parent: unknown, _args: object, context) =>
        fillSample(context),
      ),
      attributionEndUserErase: withUserErrors(
        'erasure',
        withOwnPassword((_, request, context) => eraseAttributionEndUser(context, request)),
      ),
      dimensionRegister: withUserErrors('dimension', (_, { key, label }, context) =>
        registerDimension(context, key, label ?? null),
      ),
      dimensionRename: withUserErrors('dimension', (_, { key, label }, context) =>
        renameDimension(context, key, label),
      ),
      dimensionRetire: withUserErrors('dimension', (_, { key }, context) => retireDimension(context, key)),
      costPairRegister: withUserErrors('costPair', (_, { keys }, context) => registerCostPair(context, keys)),
      costPairRetire: withUserErrors('costPair', (_, { keys }, context) => retireCostPair(context, keys)),
    }),
    Window: {
      __resolveReference: (reference) => parseWindow(reference),
      id: (window, _, context) => windowId(context.principal.organizationId, window),
      costsByModel: (window, _, context) => breakDownByModel(context, window),
      costsByProvider: (window, _, context) => breakDownByProvider(context, window),
      costsByAttribution: (window, args, context) => breakDownByAttribution(context, window, args),
      costsByDimension: (window, { key }, context) => breakDownByDimension(context, window, key),
      dimensionValues: (window, { key }, context) => listDimensionValues(context, window, key),
      trend: (window, args, context) => getTrend(context, window, args),
      costs: (window, { groupBy: keys, groupByDimensions: dimensions, ...args }, context, info) =>
        listCosts(context, window, { ...args, keys, dimensions }, info),
      costTrend: (window, args, context) => getCostTrend(context, window, args),
      costChange: (window, args, context, info) => compareCosts(context, window, args, info),
      outcomes: (window, args, context) => listOutcomeGroups(context, window, args),
      outcomeTrend: (window, args, context) => getOutcomeTrend(context, window, args),
      outcomeRecords: (window, args, context) => listOutcomes(context, window, args),
      chargeDays: (window, args, context) => listChargeDays(context, window, args),
      savings: (window, _, context) => getSavings(context, window),
      warnings: (window, _, context) => listFigureWarnings(context, window),
      endUserCostLines: (window, _, context) => exportCostLines(context, window),
      endUserCostDays: (window, _, context) => exportCostDays(context, window),
    },
    EndUser: {
      __resolveReference: (reference, context) =>
        'id' in reference ? findEndUserOfNode(context, keyOfGlobalId(context, reference.id)) : reference,
      id: ({ externalId }, _, context) => globalId(context, 'EndUser', endUserId(organizationOf(context), externalId)),
      costs: ({ externalId }, args, context, info) => costsWithin(context, args, { endUser: externalId }, info),
      endUserId: ({ externalId }, _, context) => endUserId(organizationOf(context), externalId),
      firstSeenAt: ({ externalId, firstSeenAt }, _, context) => firstSeenAt ?? getFirstSeen(context, externalId),
      costsByModel: ({ externalId, costsByModel }, args, context) =>
        (costsByModel as EndUserModelCosts | undefined) ??
        breakDownEndUserByModel(context, externalId, parseWindow(args)),
      costSummary: ({ externalId }, args, context) => summarizeEndUserCosts(context, externalId, parseWindow(args)),
      trend: ({ externalId }, args, context) => getEndUserTrend(context, externalId, parseWindow(args)),
      overTime: ({ externalId }, { granularity, ...args }, context) => {
        const { start, end } = requestedWindow(args, requestedAt(context));
        return { externalId, start: start.iso, end: end.iso, granularity };
      },
    },
    SessionTree: {
      __resolveReference: (reference, context) =>
        getSessionTree(context, 'id' in reference ? keyOfGlobalId(context, reference.id) : reference.sessionId),
      id: ({ sessionId }, _, context) => globalId(context, 'SessionTree', sessionId),
    },
    Agent: {
      __resolveReference: async (reference, context) =>
        'id' in reference
          ? { agentId: await findValueOfNode(context, 'agent', keyOfGlobalId(context, reference.id)) }
          : reference,
      id: ({ agentId }, _, context) => globalId(context, 'Agent', agentId),
      costs: ({ agentId }, args, context, info) => costsWithin(context, args, { agent: agentId }, info),
    },
    Model: {
      __resolveReference: async (reference, context) =>
        'id' in reference
          ? { slug: await findValueOfNode(context, 'model', keyOfGlobalId(context, reference.id)) }
          : reference,
      id: ({ slug }, _, context) => globalId(context, 'Model', slug),
      costs: ({ slug }, args, context, info) => costsWithin(context, args, { model: slug }, info),
    },
    Provider: {
      __resolveReference: async (reference, context) =>
        'id' in reference
          ? { slug: await findValueOfNode(context, 'provider', keyOfGlobalId(context, reference.id)) }
          : reference,
      id: ({ slug }, _, context) => globalId(context, 'Provider', slug),
      costs: ({ slug }, args, context, info) => costsWithin(context, args, { provider: slug }, info),
    },
    EndUserOverTime: {
      __resolveReference: (reference) => reference,
      costs: (view, _, context) => getEndUserOverTime(context, view),
      costLine: (view, _, context) => exportEndUserCostLine(context, view),
    },
  };
}

const NO_OUTCOMES = { accepted: null, failed: null, results: null };
const NO_REBUILD = { operation: null, organizations: null };

/** Costs of one end user, agent, model or provider, in the window of the field's arguments. */
function costsWithin(
  context: SubgraphContext,
  { start, end, last, named, groupBy: keys, groupByDimensions: dimensions, filter, ...page }: RequireCostsArgs,
  own: CostFilter,
  info: GraphQLResolveInfo,
) {
  const window = requestedWindow({ start, end, last, named }, requestedAt(context));
  return listCosts(context, window, { ...page, filter: { ...filter, ...own }, keys, dimensions }, info);
}

type RequireCostsArgs = EndUserCostsArgs & Required<Pick<EndUserCostsArgs, 'groupBy' | 'groupByDimensions' | 'first'>>;
