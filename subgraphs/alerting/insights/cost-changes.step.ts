/** The largest changes of costs, in total, by model and by customer, each with its main cause (decision 48). */
import type { OrganizationId } from '#kernel/ids.ts';
import { usdText } from '#kernel/usd-text.ts';
import { absolute, amount, type Amount, plain } from '#kernel/money.ts';
import { percentText } from '#kernel/percent.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { type DetectedFigure, estimate } from '../detection/verdict.ts';
import {
  causeSentence,
  changeFigures,
  changeWords,
  COST_CHANGE,
  type ExplainedChange,
  moreOrLess,
} from '../figures/cost-change.step.ts';
import type { CostFilter } from '../figures/cost-figures.step.ts';
import type { ReadGraph } from '../figures/graph-reader.step.ts';
import { costsPath } from '../figures/page-path.ts';
import { type Insight, type InsightWindow, nameDays, queryOf } from './insight.ts';

const CHANGES =
  graphql(`query InsightChanges($start: Instant!, $end: Instant!, $previousStart: Instant!, $previousEnd: Instant!, $groupBy: CostKey!) {
  window(start: $start, end: $end) {
    costChange(against: { start: $previousStart, end: $previousEnd }, groupBy: $groupBy, first: 2) {
      total { cost previousCost difference previousEventCount }
      groups { value { value } change { difference } }
    }
  }
}`);
const NAMES = graphql(`query InsightName($externalId: String!) { endUser(externalId: $externalId) { name } }`);

type Compared = DataOf<'InsightChanges'>['window']['costChange']['total'];

/** A change of less than a twentieth of all costs is not worth reporting. */
const MATERIAL_PART = 20n;

/** Returns only the `first` largest changes, since explaining a change takes far longer than finding it. */
export async function findCostChanges(
  read: ReadGraph,
  organizationId: OrganizationId,
  window: InsightWindow,
  first: number,
): Promise<Insight[]> {
  const { start, end, previousStart, previousEnd } = window;
  const [byModel, byCustomer] = await Promise.all(
    (['MODEL', 'END_USER'] as const).map(
      async (groupBy) => (await read(CHANGES, { start, end, previousStart, previousEnd, groupBy })).window.costChange,
    ),
  );
  if (!byModel || !byCustomer || byModel.total.previousEventCount === 0) return [];
  const bound = largerOf(byModel.total) / MATERIAL_PART;
  const isMaterial = ({ difference }: { readonly difference: string }) => sizeOf(difference) > bound;
  const subjects: ChangedSubject[] = [
    ...(isMaterial(byModel.total)
      ? [{ difference: byModel.total.difference, filter: {}, name: async () => null }]
      : []),
    ...[
      { change: byModel, subject: (model: string) => ({ filter: { model }, name: async () => model }) },
      {
        change: byCustomer,
        subject: (externalId: string) => ({
          filter: { endUser: externalId },
          name: async () => (await read(NAMES, { externalId })).endUser.name,
        }),
      },
    ].flatMap(({ change, subject }) =>
      change.groups
        // A group whose change equals the total's is already covered by the total.
        .filter((group) => isMaterial(group.change) && group.change.difference !== change.total.difference)
        .filter(({ value }) => value.value !== UNASSIGNED)
        .map((group) => ({ difference: group.change.difference, ...subject(group.value.value) })),
    ),
  ];
  const largest = subjects.toSorted((one, other) => compareSizes(other.difference, one.difference));
  return Promise.all(
    largest.slice(0, first).map(async ({ filter, name }) => {
      const variables = { start, end, previousStart, previousEnd, filter };
      const { costChange } = (await read(COST_CHANGE, variables)).window;
      return {
        kind: 'COST_CHANGE' as const,
        sentence: sentenceOf(await name(), costChange, window),
        atStake: plain(sizeOf(costChange.total.difference)),
        figures: figuresOf(costChange),
        query: queryOf(COST_CHANGE, variables),
        path: `${costsPath(organizationId, window, filter)}&compare=previous`,
      };
    }),
  );
}

interface ChangedSubject {
  readonly difference: string;
  readonly filter: CostFilter;
  /** Null for all costs. */
  readonly name: () => Promise<string | null>;
}

const UNASSIGNED = 'Unassigned';

function sentenceOf(name: string | null, change: ExplainedChange, window: InsightWindow): string {
  const { now, before } = nameDays(window);
  const { cost, previousCost, difference } = change.total;
  const subject = name === null ? 'costs were' : `${name} cost`;
  const compared =
    previousCost === '0'
      ? `${usdText(cost)}, after nothing in ${before}`
      : cost === '0'
        ? `nothing, after ${usdText(previousCost)} in ${before}`
        : `${usdText(cost)}, ${moreOrLess(difference)} than in ${before}${percentOf(change.percent)}`;
  const main = causeSentence(change);
  const why = changeWords(change);
  const isPlain = previousCost === '0' || cost === '0' || why === '';
  return `${now}, ${subject} ${compared}${isPlain ? '' : `: ${why}`}.${main === '' ? '' : ` ${main}`}`;
}

function percentOf(percent: number | null): string {
  return percent === null ? '' : ` (${percent > 0 ? '+' : ''}${percentText(percent)})`;
}

function figuresOf(change: ExplainedChange): DetectedFigure[] {
  return [
    ...changeFigures(change),
    ...(change.percent === null ? [] : [estimate('percent', change.percent, 'percent')]),
  ];
}

function sizeOf(text: string): Amount {
  return absolute(amount(text));
}

function compareSizes(one: string, other: string): number {
  const [size, otherSize] = [sizeOf(one), sizeOf(other)];
  return size === otherSize ? 0 : size < otherSize ? -1 : 1;
}

function largerOf({ cost, previousCost }: Compared): Amount {
  const [one, other] = [sizeOf(cost), sizeOf(previousCost)];
  return one > other ? one : other;
}
