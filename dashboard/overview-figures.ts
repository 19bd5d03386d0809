/** What the overview asks for: costs in one question, margins in another, so that one can fail without the other. */
import { askGateway } from '../platform/ask-gateway.ts';
import type { GatewayClient } from '../platform/gateway-client.ts';
import type { Principal } from '../platform/principal.ts';
import type { TrendPoint } from './figures/trend-chart.ts';
import { outcomeOf } from './outcome-of.ts';
import type { Span } from './span.ts';

const ROWS = 8;

const COSTS = `query Costs($timeWindow: TimeWindow!, $start: Instant!, $end: Instant!, $rows: Int!) {
  costSummary(timeWindow: $timeWindow) {
    currentPeriodCost previousPeriodCost changeAmount changePercent eventCount
    statusCounts { completed failed pending pendingRateCard }
  }
  window(start: $start, end: $end) {
    costsByModel { items { modelSlug providerSlug totalCost eventCount percentOfTotal } }
    costsByEndUser(limit: $rows) { totalEndUsers items { externalId totalCost eventCount percentOfTotal } unassigned { totalCost eventCount percentOfTotal } }
    trend { granularity series { dataPoints { date cost eventCount } } }
  }
  credits { creditsLeft allotment softLimit renewsAt }
}`;

const MARGINS = `query Margins($start: Instant!, $end: Instant!, $rows: Int!) {
  window(start: $start, end: $end) {
    margin {
      endUserCount
      endUsers(limit: $rows) { endUserName cost revenue marginAmount marginPercent profitabilityCategory }
      total { totalRevenue marginAmount marginPercent profitabilityCategory }
      warnings { count message type }
    }
  }
}`;

export interface CostRow {
  readonly totalCost: string;
  readonly eventCount: number;
  readonly percentOfTotal: number;
}

export interface CostFigures {
  readonly costSummary: {
    readonly currentPeriodCost: string;
    readonly previousPeriodCost: string;
    readonly changeAmount: string;
    readonly changePercent: number;
    readonly eventCount: number;
    readonly statusCounts: { readonly completed: number; readonly failed: number; readonly pending: number; readonly pendingRateCard: number };
  };
  readonly window: {
    readonly costsByModel: { readonly items: readonly (CostRow & { readonly modelSlug: string; readonly providerSlug: string })[] };
    readonly costsByEndUser: { readonly totalEndUsers: number; readonly items: readonly (CostRow & { readonly externalId: string | null })[]; readonly unassigned: CostRow };
    readonly trend: { readonly granularity: string; readonly series: readonly { readonly dataPoints: readonly TrendPoint[] }[] };
  };
  readonly credits: { readonly creditsLeft: number | null; readonly allotment: number | null; readonly softLimit: number | null; readonly renewsAt: string | null };
}

export interface MarginFigures {
  readonly endUserCount: number;
  readonly endUsers: readonly {
    readonly endUserName: string; readonly cost: string; readonly revenue: string; readonly marginAmount: string; readonly marginPercent: number | null; readonly profitabilityCategory: string;
  }[];
  readonly total: { readonly totalRevenue: string; readonly marginAmount: string; readonly marginPercent: number | null; readonly profitabilityCategory: string };
  readonly warnings: readonly { readonly count: number; readonly message: string; readonly type: string }[];
}

export interface OverviewFigures {
  readonly costs: CostFigures;
  /** `null` when they cannot be had; the reason is then for people to read. */
  readonly margin: MarginFigures | null;
  readonly marginFault: string | null;
}

export async function askFigures(gateway: GatewayClient, principal: Principal, { timeWindow, start, end }: Span): Promise<OverviewFigures> {
  const [costs, margins] = await Promise.all([
    askGateway<CostFigures>(gateway, COSTS, { timeWindow, start, end, rows: ROWS }, principal),
    outcomeOf(askGateway<{ window: { margin: MarginFigures } }>(gateway, MARGINS, { start, end, rows: ROWS }, principal), ['INTERNAL_SERVER_ERROR']),
  ]);
  return { costs, margin: margins.value?.window.margin ?? null, marginFault: margins.error?.message ?? null };
}
