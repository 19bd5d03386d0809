/** Requests of the overview: costs and margins in separate documents, so that one can fail without the other. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import type { ChartMark } from './chart-marks.ts';
import { getChartMarks } from './mark-figures.ts';
import { type AlertFigures, getAlertFigures } from './open-alerts.ts';
import { summaryWindow, type WindowChoice, type WindowChoiceName } from './window-choice.ts';

const ROWS = 8;

const COSTS = graphql(`query OverviewCosts($timeWindow: TimeWindow!, $start: Instant!, $end: Instant!, $rows: Int!) {
  costSummary(timeWindow: $timeWindow) {
    currentPeriodCost previousPeriodCost changeAmount changePercent eventCount
    statusCounts { completed failed pending pendingRateCard }
  }
  window(start: $start, end: $end) {
    costsByModel { items { modelSlug providerSlug totalCost eventCount percentOfTotal } }
    costs(groupBy: [END_USER], first: $rows) { nodes { values { value endUser { endUserId name } } totalCost eventCount percentOfTotal } totalCount }
    trend { granularity series { dataPoints { date cost eventCount } } }
    warnings { type message }
    guessedEvents
    eventsAtBase
  }
  unknownFields { lastSeenAt }
  credits { creditsLeft allotment softLimit renewsAt }
}`);

const MARGINS = graphql(`query OverviewMargins($start: Instant!, $end: Instant!, $rows: Int!) {
  window(start: $start, end: $end) {
    margin {
      byEndUser(filter: { only: UNPROFITABLE }, first: $rows) { nodes { endUserId endUserName cost revenue marginAmount marginPercent profitability } totalCount marginAmount }
      endUserCount
      total { totalRevenue totalCost marginAmount marginPercent profitability unattributedCost }
      warnings { count message type }
    }
  }
}`);

const FORECAST = graphql(`query OverviewForecast { costForecast { range { low expected high } reason } }`);

export interface CostRow {
  readonly totalCost: string;
  readonly eventCount: number;
  readonly percentOfTotal: number;
}

export type CostFigures = DataOf<'OverviewCosts'>;

export type MarginFigures = DataOf<'OverviewMargins'>['window']['margin'];

export interface OverviewFigures {
  readonly costs: CostFigures;
  /** `null` if unavailable; `marginError` then holds the reason. */
  readonly margin: MarginFigures | null;
  readonly marginError: string | null;
  /** For the current month; `null` if unavailable. */
  readonly forecast: DataOf<'OverviewForecast'>['costForecast'] | null;
  readonly marks: readonly ChartMark[];
  readonly alerts: AlertFigures;
}

export async function getFigures(
  gateway: GatewayClient,
  principal: Principal,
  { name, start, end }: WindowChoice & { readonly name: WindowChoiceName },
): Promise<OverviewFigures> {
  const { timeWindow } = summaryWindow(name);
  const [costs, margins, forecast, marks, alerts] = await Promise.all([
    askGateway(gateway, COSTS, { timeWindow, start, end, rows: ROWS }, principal),
    outcomeOf(askGateway(gateway, MARGINS, { start, end, rows: ROWS }, principal), ['INTERNAL_SERVER_ERROR']),
    outcomeOf(askGateway(gateway, FORECAST, {}, principal), []),
    getChartMarks(gateway, principal, { start, end }),
    getAlertFigures(gateway, principal, { start, end }),
  ]);
  return {
    costs,
    margin: margins.value?.window.margin ?? null,
    marginError: margins.error?.message ?? null,
    forecast: forecast.value?.costForecast ?? null,
    marks,
    alerts,
  };
}
