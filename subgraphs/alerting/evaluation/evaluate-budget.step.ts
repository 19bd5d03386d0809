/** `BUDGET`: compares the costs of the current month or day with an amount, and forecasts the month. */
import { usdText } from '#kernel/usd-text.ts';
import { amount, plain } from '#kernel/money.ts';
import { percent, percentText } from '#kernel/percent.ts';
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '#kernel/time/duration.ts';
import { type BudgetMemory, judgeBudget, passesAt } from '../detection/budget.ts';
import { FORECAST_HISTORY_DAYS, FORECAST_MINUTES } from '../config.ts';
import {
  type CostSelection,
  readForecast,
  readHourlyCosts,
  readWindowCosts,
  WINDOW_COSTS,
  windowVariables,
} from '../figures/cost-figures.step.ts';
import type { ReadGraph } from '../figures/graph-reader.step.ts';
import { costsPath } from '../figures/page-path.ts';
import { dayWords, monthWords } from '../figures/words.ts';
import type { RuleParameters } from '../rules/rule-parameters.ts';
import { type GroupJudgement, memoryOf, type RuleAt } from './judged.ts';
import { selectionOf } from './selection-of.ts';

interface BudgetPeriod {
  /** Identifies the period: `2026-11`, `2026-11-24`. */
  readonly name: string;
  readonly start: Date;
  readonly end: Date;
}

/** The UTC day or calendar month that contains an instant. */
export function periodOf({ period }: RuleParameters, at: Date): BudgetPeriod {
  const iso = at.toISOString();
  if (period === 'DAY') {
    const start = new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);
    return { name: iso.slice(0, 10), start, end: new Date(start.getTime() + DAY_MS) };
  }
  const start = monthStart(at.getUTCFullYear(), at.getUTCMonth());
  return { name: iso.slice(0, 7), start, end: addMonths(start, 1) };
}

/** Costs are added up to whole minutes, because page links have no seconds. */
export function startOfMinute(at: Date): Date {
  return new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS);
}

export interface BudgetFigures {
  readonly period: BudgetPeriod;
  /** Time up to which costs are added up. */
  readonly through: Date;
  readonly spent: string;
  /** Null: not wanted, or too little history. */
  readonly forecast: string | null;
}

/** `withForecast`: a forecast reads months of history, so it is not read every minute. */
export async function readBudget(
  read: ReadGraph,
  parameters: RuleParameters,
  at: Date,
  withForecast: boolean,
): Promise<BudgetFigures> {
  const period = periodOf(parameters, at);
  const selection = selectionOf(parameters);
  const through = startOfMinute(at);
  const window = { start: period.start.toISOString(), end: through.toISOString() };
  const [costs] =
    through > period.start ? await readWindowCosts(read, window, selection, { first: 1, withTokens: false }) : [];
  const isMonth = parameters.period !== 'DAY';
  const forecast = withForecast && isMonth ? await readForecast(read, selection.filter) : null;
  return {
    period,
    through,
    spent: costs?.cost ?? '0',
    // A forecast of another month does not belong to this budget.
    forecast: forecast?.start.slice(0, 7) === period.name ? forecast.expected : null,
  };
}

/** Day on which the forecast passes the amount, `YYYY-MM-DD`; null if not within the period. */
export async function findPassingDay(
  read: ReadGraph,
  selection: CostSelection,
  { period, spent }: BudgetFigures,
  whole: string,
  at: Date,
): Promise<string | null> {
  const left = amount(whole) - amount(spent);
  const from = new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS);
  const start = new Date(from.getTime() - FORECAST_HISTORY_DAYS * DAY_MS);
  const window = { start: start.toISOString(), end: from.toISOString() };
  const hours = await readHourlyCosts(read, window, selection);
  const ahead = Math.round((period.end.getTime() - from.getTime()) / HOUR_MS);
  return left < 0n ? null : (passesAt(hours, from, ahead, plain(left))?.toISOString().slice(0, 10) ?? null);
}

export async function evaluateBudget(rule: RuleAt): Promise<GroupJudgement[]> {
  const { read, at, previousAt, organizationId } = rule;
  const { parameters } = rule.rule;
  const slot = (time: Date) => Math.floor(time.getTime() / (FORECAST_MINUTES * MINUTE_MS));
  const isForecastDue = parameters.withForecast === true && (previousAt === null || slot(previousAt) !== slot(at));
  const figures = await readBudget(read, parameters, at, isForecastDue);
  const { amount: whole = '0', levels = [] } = parameters;
  const verdict = judgeBudget(
    { period: figures.period.name, spent: figures.spent, amount: whole, levels, forecast: figures.forecast },
    memoryOf<BudgetMemory>(rule, ''),
  );
  const selection = selectionOf(parameters);
  const passing = verdict.isNewForecast ? await findPassingDay(read, selection, figures, whole, at) : null;
  const window = { start: figures.period.start.toISOString(), end: figures.through.toISOString() };
  const level = Math.max(0, ...verdict.memory.reached);
  return [
    {
      groupKey: '',
      groupName: null,
      severity: level >= 100 ? 'CRITICAL' : 'WARNING',
      judgement: {
        state: verdict.state,
        memory: verdict.memory,
        end: verdict.end === 'NOT_APPLICABLE' ? 'PERIOD_ENDED' : verdict.end,
        judgedThrough: null,
        level,
        news: verdict.newLevels.at(-1) ?? (verdict.isNewForecast ? 0 : null),
      },
      evidence: {
        sentence: sentence(rule, figures, verdict.isNewForecast, passing),
        figures: verdict.figures,
        windowStart: window.start,
        windowEnd: window.end,
        computedAt: at.toISOString(),
        query: { document: WINDOW_COSTS, variables: { ...windowVariables(window, selection, 1, false) } },
        path: costsPath(organizationId, window, selection.filter ?? {}),
      },
    },
  ];
}

function sentence(
  { rule }: RuleAt,
  { period, spent, forecast }: BudgetFigures,
  isNewForecast: boolean,
  passing: string | null,
): string {
  const { amount: whole = '0' } = rule.parameters;
  const used = percent(amount(spent), amount(whole));
  const share = used === null ? '' : ` (${percentText(used)})`;
  const soFar = `${usdText(spent)} of the ${usdText(whole)} budget for ${periodWords(period)} is spent${share}.`;
  if (!isNewForecast || forecast === null) return soFar;
  const when = passing === null ? '' : `, exceeding the budget on ${dayWords(passing)}`;
  return `${soFar} The forecast is ${usdText(forecast)}${when}.`;
}

function periodWords({ name }: BudgetPeriod): string {
  return name.length === '2026-11'.length ? monthWords(name) : dayWords(name);
}
