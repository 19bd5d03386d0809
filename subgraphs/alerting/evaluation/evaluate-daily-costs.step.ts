/** `ANOMALY` and `UNIT_COST`: compares a settled day with the days before it, in total or by group. */
import { percentText } from '#kernel/percent.ts';
import { usdText } from '#kernel/usd-text.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { type AnomalyMemory, judgeAnomaly } from '../detection/anomaly.ts';
import type { SeriesDay } from '../detection/daily-series.ts';
import { judgeUnitCost, type UnitCostMemory } from '../detection/unit-cost.ts';
import { HISTORY_DAYS } from '../detection/unusual-day.ts';
import type { DetectedFigure } from '../detection/verdict.ts';
import { SERIES_MAX } from '../config.ts';
import {
  type CostSelection,
  DAILY_COSTS,
  readDailyCosts,
  readDailyTokens,
  seriesVariables,
} from '../figures/cost-figures.step.ts';
import { causeSentence, changeFigures, changeWords, readChangeOfWeek } from '../figures/cost-change.step.ts';
import { costsPath, narrowed } from '../figures/page-path.ts';
import { dayWords } from '../figures/words.ts';
import { type GroupJudgement, memoryOf, plainJudgement, type RuleOfDay, unsettledGroups } from './judged.ts';
import { selectionOf } from './selection-of.ts';

export async function evaluateDailyCosts(rule: RuleOfDay): Promise<GroupJudgement[]> {
  const { day, read } = rule;
  const selection = selectionOf(rule.rule.parameters);
  const end = new Date(Date.parse(day) + DAY_MS).toISOString();
  const history = { start: new Date(Date.parse(day) - HISTORY_DAYS * DAY_MS).toISOString(), end };
  const isByTokens = rule.rule.parameters.metric === 'COST_PER_THOUSAND_TOKENS';
  const readSeries = isByTokens ? readDailyTokens : readDailyCosts;
  const lines = await readSeries(read, history, selection, SERIES_MAX);
  const known = new Set(lines.map(({ value }) => value ?? ''));
  // A group that is no longer among the costliest is read separately, so that its episode can end like any other.
  for (const groupKey of unsettledGroups(rule).filter((key) => !known.has(key))) {
    const [own] = await readSeries(read, history, ofGroup(selection, groupKey), 1);
    if (own) lines.push({ value: groupKey, points: own.points });
  }
  const judged = lines.map(({ value, points }) => judgeLine(rule, selection, value, points));
  return Promise.all(judged.map(async (line) => (begins(rule, line) ? withChange(rule, selection, line) : line)));
}

function begins({ states }: RuleOfDay, { groupKey, judgement }: GroupJudgement): boolean {
  return judgement.state === 'FIRING' && states.get(groupKey)?.state !== 'firing';
}

/** Adds how the cost changed from the same day a week earlier: the main cause, and the amount of each cause. */
async function withChange(rule: RuleOfDay, selection: CostSelection, line: GroupJudgement): Promise<GroupJudgement> {
  const { evidence, groupName } = line;
  const { windowStart: start, windowEnd: end } = evidence;
  const change = await readChangeOfWeek(rule.read, { start, end }, ofGroup(selection, groupName).filter);
  if (change === null || change.total.previousEventCount === 0) return line;
  const weekBefore = dayWords(new Date(Date.parse(start) - 7 * DAY_MS).toISOString());
  const own = new Set(evidence.figures.map(({ name }) => name));
  return {
    ...line,
    evidence: {
      ...evidence,
      sentence: [evidence.sentence, causeSentence(change), `Compared with ${weekBefore}: ${changeWords(change)}.`]
        .filter((part) => part !== '')
        .join(' '),
      figures: [...evidence.figures, ...changeFigures(change).filter(({ name }) => !own.has(name))],
      path: `${evidence.path}&compare=week`,
    },
  };
}

function ofGroup(selection: CostSelection, value: string | null): CostSelection {
  const { filter, by, dimension } = selection;
  return { filter: narrowed(filter, { by, dimension }, value), by: null, dimension: null };
}

function judgeLine(
  rule: RuleOfDay,
  selection: CostSelection,
  value: string | null,
  series: readonly SeriesDay[],
): GroupJudgement {
  const { day, organizationId } = rule;
  const { kind, parameters } = rule.rule;
  const groupKey = value ?? '';
  const input = { series, day, floor: parameters.floor ?? '0' };
  const metric = parameters.metric === 'COST_PER_THOUSAND_TOKENS' ? parameters.metric : 'COST_PER_EVENT';
  const verdict =
    kind === 'ANOMALY'
      ? judgeAnomaly(input, memoryOf<AnomalyMemory>(rule, groupKey))
      : judgeUnitCost({ ...input, metric }, memoryOf<UnitCostMemory>(rule, groupKey));
  const window = { start: `${day}T00:00:00.000Z`, end: new Date(Date.parse(day) + DAY_MS).toISOString() };
  const own = ofGroup(selection, value);
  const name = value === null ? '' : ` of ${value}`;
  return {
    groupKey,
    groupName: value,
    severity: Number(figure(verdict.figures, 'more') ?? 0) > 200 ? 'CRITICAL' : 'WARNING',
    judgement: plainJudgement(verdict, window.end),
    evidence: {
      sentence:
        kind === 'ANOMALY' ? anomalySentence(day, name, verdict.figures) : unitSentence(day, name, verdict.figures),
      figures: verdict.figures,
      windowStart: window.start,
      windowEnd: window.end,
      computedAt: rule.at.toISOString(),
      query: { document: DAILY_COSTS, variables: { ...seriesVariables(window, own, 1) } },
      path: costsPath(organizationId, window, own.filter ?? {}),
    },
  };
}

function figure(figures: readonly DetectedFigure[], name: string): string | null {
  return figures.find((one) => one.name === name)?.value ?? null;
}

function anomalySentence(day: string, name: string, figures: readonly DetectedFigure[]): string {
  const more = figure(figures, 'more');
  return `The cost${name} on ${dayWords(day)} was ${usdText(figure(figures, 'cost') ?? '0')} instead of the usual ${usdText(figure(figures, 'usual') ?? '0')}${more === null ? '' : ` (${percentText(Number(more))} more)`}.`;
}

function unitSentence(day: string, name: string, figures: readonly DetectedFigure[]): string {
  const unit = figures.find((one) => one.name === 'unit_cost');
  const more = figure(figures, 'more');
  const what = unit?.unit === 'usd_per_event' ? 'Cost per event' : 'Cost per thousand tokens';
  return `${what}${name} on ${dayWords(day)} was ${usdText(unit?.value ?? '0')} instead of the usual ${usdText(figure(figures, 'usual') ?? '0')}${more === null ? '' : ` (${percentText(Number(more))} more)`}.`;
}
