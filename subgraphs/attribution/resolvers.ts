/** Routes the fields of attribution's schema to operations. */
import { organizationOf } from '../../platform/subgraph/organization-of.ts';
import { readAuditLog } from '../../platform/subgraph/read-audit-log.ts';
import { endUserId } from '../../schema/end-user-id.ts';
import { breakDownByAttribution } from './operations/break-down-by-attribution.ts';
import { breakDownByDimension } from './operations/break-down-by-dimension.ts';
import { breakDownByModel } from './operations/break-down-by-model.ts';
import { breakDownByProvider } from './operations/break-down-by-provider.ts';
import { breakDownEndUserByModel } from './operations/break-down-end-user-by-model.ts';
import { drawEndUserTrend } from './operations/draw-end-user-trend.ts';
import { drawSessionTree } from './operations/draw-session-tree.ts';
import { drawTrend } from './operations/draw-trend.ts';
import { findEndUserByExternalId } from './operations/find-end-user-by-external-id.ts';
import { handOverEndUserCosts } from './operations/hand-over-end-user-costs.ts';
import { listDimensionValues } from './operations/list-dimension-values.ts';
import { listEndUserCosts } from './operations/list-end-user-costs.ts';
import { listRegisteredDimensions } from './operations/list-registered-dimensions.ts';
import { openWindow } from './operations/open-window.ts';
import { registerDimension } from './operations/register-dimension.ts';
import { renameDimension } from './operations/rename-dimension.ts';
import { retireDimension } from './operations/retire-dimension.ts';
import { summarizeEndUserCosts } from './operations/summarize-end-user-costs.ts';
import { tellLag } from './operations/tell-lag.ts';
import { verifyRollups } from './operations/verify-rollups.ts';
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
