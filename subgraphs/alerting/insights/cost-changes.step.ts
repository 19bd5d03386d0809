/**
 * The largest changes of costs, in total, by model and by customer, each split into volume, mix and rate (decision
 * 48).
 */
import { amount, type Amount, plain } from '#kernel/money.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { type DetectedFigure, estimate } from '../detection/verdict.ts';
import { changeFigures, changeWords, moreOrLess } from '../figures/cost-change.step.ts';
import type { ReadGraph } from '../figures/graph-reader.step.ts';
import { costsPath } from '../figures/page-path.ts';
import { usd } from '../figures/words.ts';
import { type Insight, type InsightWindow, nameDays, queryOf } from './insight.ts';

const CHANGES =
  graphql(`query InsightChanges($start: Instant!, $end: Instant!, $previousStart: Instant!, $groupBy: CostKey!) {
  window(start: $start, end: $end) {
    costChange(against: { start: $previousStart, end: $start }, groupBy: $groupBy, first: 2) {
      percent
      total { cost previousCost difference volume mix rate eventCount previousEventCount }
      groups { isNew isGone value { value } change { cost previousCost difference volume mix rate eventCount previousEventCount } }
    }
  }
}`);

type Change = DataOf<'InsightChanges'>['window']['costChange'];
type Parts = Change['total'];

/** A change of less than a twentieth of all costs is not worth reporting. */
const MATERIAL_PART = 20n;

export async function findCostChanges(
  read: ReadGraph,
  organizationId: string,
  window: InsightWindow,
): Promise<Insight[]> {
  const { start, end, previousStart } = window;
  const of = (groupBy: 'MODEL' | 'END_USER') => ({ start, end, previousStart, groupBy });
  const [byModel, byCustomer] = await Promise.all(
    (['MODEL', 'END_USER'] as const).map(async (key) => (await read(CHANGES, of(key))).window.costChange),
  );
  if (!byModel || !byCustomer || byModel.total.previousEventCount === 0) return [];
  const bound = largerOf(byModel.total) / MATERIAL_PART;
  const isMaterial = ({ difference }: Parts) => sizeOf(difference) > bound;
  const whole = isMaterial(byModel.total)
    ? [
        {
          kind: 'COST_CHANGE' as const,
          sentence: `${nameDays(window).now}, costs were ${usd(byModel.total.cost)}, ${moreOrLess(byModel.total.difference)} than in ${nameDays(window).before}${percentOf(byModel.percent)}: ${changeWords(byModel.total, 'models')}.`,
          atStake: plain(sizeOf(byModel.total.difference)),
          figures: figuresOf(byModel.total, byModel.percent),
          query: queryOf(CHANGES, of('MODEL')),
          path: `${costsPath(organizationId, window, {})}&compare=previous`,
        },
      ]
    : [];
  const groups = [
    { change: byModel, key: 'MODEL' as const, others: 'models', filter: (model: string) => ({ model }) },
    { change: byCustomer, key: 'END_USER' as const, others: 'customers', filter: (endUser: string) => ({ endUser }) },
  ].flatMap(({ change, key, others, filter }) =>
    change.groups
      // A group whose change equals the total's is already covered by the total.
      .filter((group) => isMaterial(group.change) && group.change.difference !== change.total.difference)
      .filter(({ value }) => value.value !== UNASSIGNED)
      .map((group) => ({
        kind: 'COST_CHANGE' as const,
        sentence: groupSentence(group, window, others),
        atStake: plain(sizeOf(group.change.difference)),
        figures: figuresOf(group.change, null),
        query: queryOf(CHANGES, of(key)),
        path: `${costsPath(organizationId, window, filter(group.value.value))}&compare=previous`,
      })),
  );
  return [...whole, ...groups];
}

const UNASSIGNED = 'Unassigned';

function groupSentence(
  { value, change, isNew, isGone }: Change['groups'][number],
  window: InsightWindow,
  others: string,
) {
  const { now, before } = nameDays(window);
  if (isNew) return `${now}, ${value.value} cost ${usd(change.cost)}, after nothing in ${before}.`;
  if (isGone) return `${now}, ${value.value} cost nothing, after ${usd(change.previousCost)} in ${before}.`;
  return `${now}, ${value.value} cost ${usd(change.cost)}, ${moreOrLess(change.difference)} than in ${before}: ${changeWords(change, others)}.`;
}

function percentOf(percent: number | null): string {
  return percent === null ? '' : ` (${percent > 0 ? '+' : ''}${percent}%)`;
}

function figuresOf(parts: Parts, percent: number | null): DetectedFigure[] {
  return [...changeFigures(parts), ...(percent === null ? [] : [estimate('percent', percent, 'percent')])];
}

function sizeOf(text: string): Amount {
  const value = amount(text);
  return value < 0n ? -value : value;
}

function largerOf({ cost, previousCost }: Parts): Amount {
  const [one, other] = [sizeOf(cost), sizeOf(previousCost)];
  return one > other ? one : other;
}
