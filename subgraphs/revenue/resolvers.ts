/** Routes every field of the schema to its operation. */
import type { SubgraphContext } from '../../platform/subgraph/context.ts';
import { auditedOrganizationOf, type AuditPage, readAuditLog } from '../../platform/subgraph/read-audit-log.ts';
import type { ResealPage } from '../../platform/subgraph/reseal-values.ts';
import type { SubgraphSurroundings } from '../../platform/subgraph/subgraph.ts';
import type { EndUserCostLines } from '../../schema/end-user-cost-lines.ts';
import { checkRevenueConnection } from './operations/check-revenue-connection.ts';
import { compareCostAndRevenue } from './operations/compare-cost-and-revenue.ts';
import { compareOverTime, type CostTrend } from './operations/compare-over-time.ts';
import { connectRevenue } from './operations/connect-revenue.ts';
import { disconnectRevenue } from './operations/disconnect-revenue.ts';
import { findSubscription } from './operations/find-subscription.ts';
import { findSyncRun } from './operations/find-sync-run.ts';
import { linkRevenueCustomer } from './operations/link-revenue-customer.ts';
import { listMappingConflicts } from './operations/list-mapping-conflicts.ts';
import { listRevenueCustomers } from './operations/list-revenue-customers.ts';
import { listSealedValues } from './operations/list-sealed-values.ts';
import { listSyncRuns } from './operations/list-sync-runs.ts';
import { readRevenueConnection } from './operations/read-revenue-connection.ts';
import { recognizeOverTime } from './operations/recognize-over-time.ts';
import { resealValues } from './operations/reseal-values.ts';
import { syncRevenue } from './operations/sync-revenue.ts';
import { verifyRevenue } from './operations/verify-revenue.ts';
import type {
  ConnectRevenueInput,
  MutationDisconnectRevenueArgs,
  MutationLinkRevenueCustomerArgs,
  MutationSyncRevenueArgs,
  MutationUnlinkRevenueCustomerArgs,
  QueryRevenueCustomersArgs,
  QueryRevenueMappingConflictsArgs,
  QueryRevenueSyncRunArgs,
  QueryBillingSubscriptionArgs,
  RevenueConnectionRunsArgs,
} from './resolvers.generated.ts';

/** Arguments are checked by the schema, answers by the operations' own types. */
export function resolvers({ sealing }: Pick<SubgraphSurroundings, 'sealing'>): object {
  return {
    Query: {
      billingSubscription: (_: unknown, { id }: QueryBillingSubscriptionArgs, context: SubgraphContext) => findSubscription(context, id),
      revenueConnection: (_: unknown, __: unknown, context: SubgraphContext) => readRevenueConnection(context),
      revenueSyncRun: (_: unknown, { id }: QueryRevenueSyncRunArgs, context: SubgraphContext) => findSyncRun(context, id),
      revenueCustomers: (_: unknown, page: Required<QueryRevenueCustomersArgs>, context: SubgraphContext) =>
        listRevenueCustomers(context, page),
      revenueMappingConflicts: (
        _: unknown,
        { limit }: Required<QueryRevenueMappingConflictsArgs>,
        context: SubgraphContext,
      ) => listMappingConflicts(context, limit),
      verifyRevenue: (_: unknown, __: unknown, context: SubgraphContext) => verifyRevenue(context),
      revenueAuditLog: (_: unknown, page: AuditPage, context: SubgraphContext) =>
        readAuditLog(context, auditedOrganizationOf(context), page),
      revenueSealedValues: (_: unknown, __: unknown, context: SubgraphContext) =>
        listSealedValues(context, sealing),
    },
    Mutation: {
      connectRevenue: (_: unknown, { input }: { input: GivenConnection }, context: SubgraphContext) =>
        connectRevenue(context, { ...input, apiBase: input.apiBase ?? null }, sealing),
      checkRevenueConnection: (_: unknown, __: unknown, context: SubgraphContext) =>
        checkRevenueConnection(context, sealing),
      disconnectRevenue: (
        _: unknown,
        { withdrawRecords }: Required<MutationDisconnectRevenueArgs>,
        context: SubgraphContext,
      ) => disconnectRevenue(context, withdrawRecords),
      syncRevenue: (_: unknown, { waitSeconds, full }: Required<MutationSyncRevenueArgs>, context: SubgraphContext) =>
        syncRevenue(context, waitSeconds, full),
      linkRevenueCustomer: (_: unknown, given: MutationLinkRevenueCustomerArgs, context: SubgraphContext) =>
        linkRevenueCustomer(context, given.customerId, given.endUserExternalId),
      unlinkRevenueCustomer: (_: unknown, { customerId }: MutationUnlinkRevenueCustomerArgs, context: SubgraphContext) =>
        linkRevenueCustomer(context, customerId, null),
      resealRevenueValues: (_: unknown, page: ResealPage, context: SubgraphContext) =>
        resealValues(context, sealing, page),
    },
    RevenueConnection: {
      runs: (_: unknown, { limit }: Required<RevenueConnectionRunsArgs>, context: SubgraphContext) =>
        listSyncRuns(context, limit),
    },
    Window: {
      margin: (window: WindowWithCosts, _: unknown, context: SubgraphContext) =>
        compareCostAndRevenue(context, window, window.endUserCostLines),
      marginTrend: (window: WindowWithCosts, _: unknown, context: SubgraphContext) =>
        compareOverTime(context, window, window.trend),
      recognizedRevenue: (window: WindowWithCosts, _: unknown, context: SubgraphContext) =>
        recognizeOverTime(context, window),
    },
  };
}

/** Defaults are filled in by the schema. */
type GivenConnection = Omit<Required<ConnectRevenueInput>, 'apiBase'> & Pick<ConnectRevenueInput, 'apiBase'>;

/** What the gateway hands over; the costs only where a margin is asked for. */
interface WindowWithCosts {
  readonly start: string;
  readonly end: string;
  readonly endUserCostLines: EndUserCostLines;
  readonly trend: CostTrend;
}
