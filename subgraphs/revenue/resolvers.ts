/** Routes every field of the schema to its operation. */
import type { SubgraphSurroundings } from '../../platform/subgraph/subgraph.ts';
import type { EndUserCostLines } from '../../schema/end-user-cost-lines.ts';
import { fail } from '../../schema/errors.ts';
import { checkRevenueConnection } from './operations/check-revenue-connection.ts';
import { compareCostAndRevenue } from './operations/compare-cost-and-revenue.ts';
import { connectRevenue } from './operations/connect-revenue.ts';
import { disconnectRevenue } from './operations/disconnect-revenue.ts';
import { findSubscription } from './operations/find-subscription.ts';
import { linkRevenueCustomer } from './operations/link-revenue-customer.ts';
import { pageSize, readConnection, readCustomers, readMappingConflicts, readRun, readRuns } from './operations/read-revenue-sync.ts';
import { recognizeOverTime } from './operations/recognize-over-time.ts';
import { syncRevenue } from './operations/sync-revenue.ts';
import { verifyRevenue } from './operations/verify-revenue.ts';
import { organizationOf } from '../../platform/subgraph/organization-of.ts';
import type { SubgraphContext } from '../../platform/subgraph/context.ts';
import { showConnection, showConflict, showCustomer, showRun } from './rules/show-connection.ts';
import { listEndUser, showEndUser, showTotal } from './rules/show-margin.ts';
import type { PaymentConnection } from './data/payment-connection.ts';

export function resolvers({ serviceSecret }: Pick<SubgraphSurroundings, 'serviceSecret'>): object {
  return {
    Query: {
      subscription: (_: unknown, { id }: { id: string }, context: SubgraphContext) => findSubscription(context, id),
      revenueConnection: async (_: unknown, __: unknown, context: SubgraphContext) => {
        const connection = await readConnection(context);
        return connection === null ? null : withRuns(connection);
      },
      revenueSyncRun: async (_: unknown, { id }: { id: string }, context: SubgraphContext) => {
        const { run, error } = await readRun(context, id);
        return showRun(run, error);
      },
      revenueCustomers: async (_: unknown, page: { limit: number; offset: number; unmapped: boolean }, context: SubgraphContext) =>
        (await readCustomers(context, page)).map((customer) => showCustomer(organizationOf(context), customer)),
      revenueMappingConflicts: async (_: unknown, { limit }: { limit: number }, context: SubgraphContext) =>
        (await readMappingConflicts(context, limit)).map(showConflict),
      verifyRevenue: (_: unknown, __: unknown, context: SubgraphContext) => verifyRevenue(context),
    },
    Mutation: {
      connectRevenue: async (_: unknown, { input }: { input: ConnectRevenueInput }, context: SubgraphContext) =>
        withRuns(await connectRevenue(context, { ...input, apiBase: input.apiBase ?? null }, serviceSecret)),
      checkRevenueConnection: async (_: unknown, __: unknown, context: SubgraphContext) => withRuns(await checkRevenueConnection(context, serviceSecret)),
      disconnectRevenue: async (_: unknown, { withdrawRecords }: { withdrawRecords: boolean }, context: SubgraphContext) =>
        withRuns(await disconnectRevenue(context, withdrawRecords)),
      syncRevenue: async (_: unknown, { waitSeconds, full }: { waitSeconds: number; full: boolean }, context: SubgraphContext) => {
        const { run, error } = await syncRevenue(context, waitSeconds, full);
        return showRun(run, error);
      },
      linkRevenueCustomer: async (_: unknown, { customerId, endUserExternalId }: { customerId: string; endUserExternalId: string }, context: SubgraphContext) =>
        showCustomer(organizationOf(context), await linkRevenueCustomer(context, customerId, endUserExternalId)),
      unlinkRevenueCustomer: async (_: unknown, { customerId }: { customerId: string }, context: SubgraphContext) =>
        showCustomer(organizationOf(context), await linkRevenueCustomer(context, customerId, null)),
    },
    Window: {
      margin: async (window: WindowParent, _: unknown, context: SubgraphContext) => {
        const { endUsers, ...compared } = await compareCostAndRevenue(context, window, window.endUserCostLines);
        return {
          endUsers: ({ limit, offset }: { limit: number; offset: number }) => {
            if (offset < 0) fail('VALIDATION_ERROR', 'offset must be zero or positive');
            return endUsers.slice(offset, offset + pageSize(limit)).map(showEndUser);
          },
          endUserCount: endUsers.length,
          endUserList: () => endUsers.map(listEndUser),
          total: showTotal({ endUsers, ...compared }),
          warnings: compared.warnings,
        };
      },
      recognizedRevenue: (window: WindowParent, _: unknown, context: SubgraphContext) => recognizeOverTime(context, window),
    },
  };
}

interface WindowParent {
  readonly start: string;
  readonly end: string;
  readonly endUserCostLines: EndUserCostLines;
}

interface ConnectRevenueInput {
  readonly processor: string;
  readonly apiKey: string;
  readonly apiBase?: string | null;
  readonly endUserKey: string;
}

function withRuns(connection: PaymentConnection) {
  return {
    ...showConnection(connection),
    runs: async ({ limit }: { limit: number }, context: SubgraphContext) =>
      (await readRuns(context, limit)).map((run) => showRun(run, connection.lastError)),
  };
}
