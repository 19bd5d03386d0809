/** All documented GETs of the contract, in its order. */
import type { Route } from './route.ts';
import { costByAgent } from './routes/attribution-data/by-agent.ts';
import { dimensionValues } from './routes/attribution-data/dimension-values.ts';
import { costByModel } from './routes/cost-data/by-model.ts';
import { costByProvider } from './routes/cost-data/by-provider.ts';
import { costSummary } from './routes/cost-data/summary.ts';
import { costTrend } from './routes/cost-data/trend.ts';
import { dimensionCostBreakdown } from './routes/dimension-data/cost-breakdown.ts';
import { endUserCostByModel } from './routes/end-user-costs/external-id/by-model.ts';
import { marginByEndUser } from './routes/margin-data/by-end-user.ts';
import { ping } from './routes/ping.ts';
import { rateEstimationTable } from './routes/rate-cards/estimation-table.ts';
import { usageEvents } from './routes/usage/events.ts';
import { usageSummary } from './routes/usage/summary.ts';

export const ROUTES: readonly Route[] = [
  ping,
  costSummary,
  costByProvider,
  costByModel,
  costTrend,
  endUserCostByModel,
  costByAgent,
  dimensionValues,
  dimensionCostBreakdown,
  usageSummary,
  usageEvents,
  marginByEndUser,
  rateEstimationTable,
];
