/** Routes the fields of attribution's schema to operations. */
import { organizationOf } from '../../platform/subgraph/organization-of.ts';
import { readAuditLog } from '../../platform/subgraph/read-audit-log.ts';
import { endUserId } from '../../kernel/end-user-id.ts';
import { breakDownByAttribution } from './breakdowns/break-down-by-attribution.operation.ts';
import { breakDownByDimension } from './breakdowns/break-down-by-dimension.operation.ts';
import { breakDownByModel } from './breakdowns/break-down-by-model.operation.ts';
import { breakDownByProvider } from './breakdowns/break-down-by-provider.operation.ts';
import { breakDownEndUserByModel } from './breakdowns/break-down-end-user-by-model.operation.ts';
import { drawEndUserTrend } from './trends/draw-end-user-trend.operation.ts';
import { drawSessionTree } from './sessions/draw-session-tree.operation.ts';
import { drawTrend } from './trends/draw-trend.operation.ts';
import { findEndUserByExternalId } from './end-users/find-end-user-by-external-id.operation.ts';
import { handOverEndUserCosts } from './breakdowns/hand-over-end-user-costs.operation.ts';
import { listDimensionValues } from './breakdowns/list-dimension-values.operation.ts';
import { listEndUserCosts } from './breakdowns/list-end-user-costs.operation.ts';
import { listRegisteredDimensions } from './dimensions/list-registered-dimensions.operation.ts';
import { openWindow } from './windows/open-window.operation.ts';
import { registerDimension } from './dimensions/register-dimension.operation.ts';
import { renameDimension } from './dimensions/rename-dimension.operation.ts';
import { retireDimension } from './dimensions/retire-dimension.operation.ts';
import { summarizeEndUserCosts } from './breakdowns/summarize-end-user-costs.operation.ts';
import { tellLag } from './feed/tell-lag.operation.ts';
import { verifyRollups } from './rollups/verify-rollups.operation.ts';
import type { Resolvers } from './resolvers.generated.ts';

export function resolvers(): Resolvers {
  return {
    Query: {
      window: (_, args) => openWindow(args),
      endUser: (_, { externalId }, context) => findEndUserByExternalId(context, externalId),
      dimensions: (_, { includeRetired }, context) => listRegisteredDimensions(context, includeRetired),
      session: (_, { sessionId }, context) => drawSessionTree(context, sessionId),
      attributionLag: (_parent, _args, context) => tellLag(context),
      verifyAttribution: (_parent, _args, context) => verifyRollups(context),
      attributionAuditLog: (_, page, context) => readAuditLog(context, organizationOf(context), page),
    },
    Mutation: {
      registerDimension: (_, { key, label }, context) => registerDimension(context, key, label ?? null),
      renameDimension: (_, { key, label }, context) => renameDimension(context, key, label),
      retireDimension: (_, { key }, context) => retireDimension(context, key),
    },
    Window: {
      __resolveReference: (reference) => openWindow(reference),
      costsByModel: (span, _, context) => breakDownByModel(context, span),
      costsByProvider: (span, _, context) => breakDownByProvider(context, span),
      costsByAttribution: (span, args, context) => breakDownByAttribution(context, span, args),
      costsByDimension: (span, { key }, context) => breakDownByDimension(context, span, key),
      dimensionValues: (span, { key }, context) => listDimensionValues(context, span, key),
      trend: (span, args, context) => drawTrend(context, span, args),
      costsByEndUser: (span, page, context) => listEndUserCosts(context, span, page),
      endUserCostLines: (span, _, context) => handOverEndUserCosts(context, span),
    },
    EndUser: {
      __resolveReference: ({ externalId }) => ({ externalId }),
      id: ({ externalId }, _, context) => endUserId(organizationOf(context), externalId),
      costsByModel: ({ externalId }, args, context) => breakDownEndUserByModel(context, externalId, openWindow(args)),
      costSummary: ({ externalId }, args, context) => summarizeEndUserCosts(context, externalId, openWindow(args)),
      trend: ({ externalId }, args, context) => drawEndUserTrend(context, externalId, openWindow(args)),
    },
  };
}
