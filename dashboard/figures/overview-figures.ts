/** Requests of the overview: costs and margins in separate documents, so that one can fail without the other. */
import type { CalendarUnit } from '#kernel/time/calendar.ts';
import { HOUR_MS } from '#kernel/time/duration.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import type { ChartMark } from './chart-marks.ts';
import { getChartMarks } from './mark-figures.ts';
import { getOpenAlerts, type OpenAlerts } from './open-alerts.ts';
import { type Correction, correctionMarks, getCorrections } from './corrections.ts';
import { comparedWindow, type WindowChoice } from './window-choice.ts';

const ROWS = 8;
const DAYS_MAX = 92;
const HOURS_MAX = 48;

const COSTS =
  graphql(`query OverviewCosts($start: Instant!, $end: Instant!, $against: CostComparison!, $granularity: Granularity!, $rows: Int!) {
  costSummary(timeWindow: LAST_90_DAYS) { statusCounts { completed failed pending pendingRateCard } }
  window(start: $start, end: $end) {
    costChange(against: $against, first: 1) {
      start end percent total { cost previousCost difference eventCount }
      mainCause { endUser { endUserId name } agent model start end cost }
    }
    costsByModel { items { modelSlug providerSlug totalCost eventCount percentOfTotal } }
    costs(groupBy: [END_USER], first: $rows) { nodes { values { value endUser { endUserId name } } totalCost eventCount percentOfTotal } totalCount }
    costTrend(granularity: $granularity) { series { points { start cost eventCount } } }
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
      endUsers(filter: { only: UNPROFITABLE }, first: $rows) { nodes { endUserId endUserName cost revenue marginAmount marginPercent profitability } totalCount totalRevenue totalCost }
      endUserCount
      total { totalRevenue totalCost marginAmount marginPercent profitability unattributedCost }
      warnings { count message type }
    }
    marginTrend { granularity dataPoints { date marginPercent revenue cost } }
  }
}`);

const FORECAST = graphql(`query OverviewForecast { costForecast { range { low expected high } reason } }`);
/** Reads rules instead of `budgets`, which would compute the costs and a forecast of each budget. */
const RULES = graphql(`query OverviewBudgets { alertRules { kind amount period groupBy filter { model } } }`);

export interface CostRow {
  readonly totalCost: string;
  readonly eventCount: number;
  readonly percentOfTotal: number;
}

export type CostFigures = DataOf<'OverviewCosts'>;

export type MarginFigures = DataOf<'OverviewMargins'>['window']['margin'];
type MarginTrend = DataOf<'OverviewMargins'>['window']['marginTrend'];
type Budget = DataOf<'OverviewBudgets'>['alertRules'][number];

export interface OverviewFigures {
  readonly costs: CostFigures;
  /** `null` if unavailable; `marginError` then holds the reason. */
  readonly margin: MarginFigures | null;
  readonly marginError: string | null;
  readonly marginTrend: MarginTrend | null;
  /** Bucket of the chart. */
  readonly unit: CalendarUnit;
  /** The compared period in words. */
  readonly before: string;
  /** The forecast for the current month; `null` if unavailable. */
  readonly forecast: DataOf<'OverviewForecast'>['costForecast'] | null;
  /** The first monthly budget of all costs; `null` without one. */
  readonly budget: Budget | null;
  readonly marks: readonly ChartMark[];
  readonly corrections: readonly Correction[];
  /** `null` if unavailable. */
  readonly alerts: OpenAlerts | null;
}

export async function getFigures(
  gateway: GatewayClient,
  principal: Principal,
  { window, now }: { readonly window: WindowChoice; readonly now: Date },
): Promise<OverviewFigures> {
  const { start, end } = window;
  const { label: before, ...against } = comparedWindow(window, 'previous', now);
  const unit = unitOf(window);
  const granularity = unit.toUpperCase() as Uppercase<CalendarUnit>;
  const [costs, margins, forecast, rules, marks, corrections, alerts] = await Promise.all([
    askGateway(gateway, COSTS, { start, end, against, granularity, rows: ROWS }, principal),
    outcomeOf(askGateway(gateway, MARGINS, { start, end, rows: ROWS }, principal), ['INTERNAL_SERVER_ERROR']),
    outcomeOf(askGateway(gateway, FORECAST, {}, principal), []),
    outcomeOf(askGateway(gateway, RULES, {}, principal), []),
    getChartMarks(gateway, principal, { start, end }),
    getCorrections(gateway, principal, { start, end }),
    getOpenAlerts(gateway, principal),
  ]);
  return {
    costs,
    margin: margins.value?.window.margin ?? null,
    marginError: margins.error?.message ?? null,
    marginTrend: margins.value?.window.marginTrend ?? null,
    unit,
    before,
    forecast: forecast.value?.costForecast ?? null,
    budget:
      rules.value?.alertRules.find(
        ({ kind, period, groupBy, filter }) =>
          kind === 'BUDGET' && period === 'MONTH' && filter === null && groupBy === null,
      ) ?? null,
    marks: [...marks, ...correctionMarks(corrections)],
    corrections,
    alerts,
  };
}

/** Hours for up to two days, days for up to 92. */
function unitOf({ start, end }: WindowChoice): CalendarUnit {
  const hours = (Date.parse(end) - Date.parse(start)) / HOUR_MS;
  if (hours <= HOURS_MAX) return 'hour';
  return hours <= DAYS_MAX * 24 ? 'day' : hours <= 2 * DAYS_MAX * 24 ? 'week' : 'month';
}
