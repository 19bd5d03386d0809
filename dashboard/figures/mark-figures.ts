/**
 * Marks on the time axis of a chart: rate changes of its models and repricings within its window, alerts that opened in
 * it, and notes on its days.
 */
import { minuteOf } from '#kernel/time/instant.ts';
import { dateInWords } from '#kernel/time/in-words.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { type DataOf, graphql, type VariablesOf } from '#schema/graphql.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import type { ChartMark } from './chart-marks.ts';

const MODELS = graphql(`query MarkedModels($start: Instant!, $end: Instant!, $filter: CostFilter) {
  window(start: $start, end: $end) {
    costs(filter: $filter, groupBy: [PROVIDER, MODEL], first: 100) { nodes { values { value } } }
  }
}`);
const RATES = graphql(`query MarkedRates($models: [String!]!, $start: Instant!, $end: Instant!) {
  rateCards(filter: { models: $models, effectiveFrom: $start, effectiveBefore: $end }, first: 100) {
    nodes { rateCardId modelSlug providerSlug isPrefix versions { effectiveFrom } }
  }
  repricedPeriods(start: $start, end: $end) { start end model reverts finishedAt }
}`);

const ALERTS_AND_NOTES = graphql(`query MarkedAlerts($first: Int!, $start: Instant!, $end: Instant!) {
  alertEpisodes(first: $first) { nodes { id groupName openedAt windowEnd path rule { name } } }
  window(start: $start, end: $end) { notes(first: 200) { id day text } }
}`);
/** Length of a note's text beside its mark. */
const NOTE_LENGTH_MAX = 60;

/** Maximum number of alerts read, newest first. */
const ALERTS_MAX = 200;

type Card = DataOf<'MarkedRates'>['rateCards']['nodes'][number];
type RepricedPeriod = NonNullable<DataOf<'MarkedRates'>['repricedPeriods']>[number];

/** Provider of events that name none. Any provider's card may price them, so all cards are relevant. */
const UNKNOWN = 'unknown';

/** Groups of costs by provider and model. */
type UsedModels = DataOf<'MarkedModels'>['window']['costs']['nodes'];

/**
 * `filter`: the filter of the chart's costs. `models`: its costs by provider and model if the page has read them. Returns
 * no marks if they cannot be read; the chart is drawn without them.
 */
export async function getChartMarks(
  gateway: GatewayClient,
  principal: Principal,
  {
    start,
    end,
    filter,
    models = Promise.resolve(null),
  }: {
    start: string;
    end: string;
    filter?: VariablesOf<'MarkedModels'>['filter'];
    models?: Promise<UsedModels | null>;
  },
): Promise<ChartMark[]> {
  const marks = await Promise.all([
    outcomeOf(rateMarks(gateway, principal, { start, end, filter: filter ?? null }, models), []),
    outcomeOf(alertAndNoteMarks(gateway, principal, { start, end, filter: filter ?? null }), []),
  ]);
  return marks.flatMap(({ value }) => value ?? []);
}

async function alertAndNoteMarks(
  gateway: GatewayClient,
  principal: Principal,
  { start, end, filter }: VariablesOf<'MarkedModels'>,
): Promise<ChartMark[]> {
  const variables = { first: ALERTS_MAX, start, end };
  const { alertEpisodes, window } = await askGateway(gateway, ALERTS_AND_NOTES, variables, principal);
  return [...alertMarks(alertEpisodes.nodes, { start, end, filter }), ...noteMarks(window.notes)];
}

/**
 * Placed at the end of the window that the alert evaluated, if earlier than its opening: a day is evaluated after it
 * ends. A filtered chart shows only alerts whose page has at least the same filters.
 */
function alertMarks(
  episodes: DataOf<'MarkedAlerts'>['alertEpisodes']['nodes'],
  { start, end, filter }: VariablesOf<'MarkedModels'>,
): ChartMark[] {
  const [from, before] = [Date.parse(start), Date.parse(end)];
  const wanted = conditionsOf(filter);
  return episodes
    .map((episode) => ({ ...episode, atMs: Math.min(Date.parse(episode.openedAt), Date.parse(episode.windowEnd) - 1) }))
    .filter(({ atMs }) => from <= atMs && atMs < before)
    .filter(({ path }) =>
      wanted.every((condition) => decodeURIComponent(path.replaceAll('+', ' ')).includes(condition)),
    )
    .map(({ id, groupName, atMs, rule }) => ({
      at: new Date(atMs).toISOString(),
      kind: 'alert',
      name: [rule?.name ?? 'deleted rule', ...(groupName === null ? [] : [groupName])].join(': '),
      href: `/alerts/episodes/${id}`,
    }));
}

function noteMarks(notes: DataOf<'MarkedAlerts'>['window']['notes']): ChartMark[] {
  return notes.map(({ id, day, text }) => ({
    at: `${day}T00:00:00.000Z`,
    kind: 'note',
    name: text.length > NOTE_LENGTH_MAX ? `${text.slice(0, NOTE_LENGTH_MAX - 1)}…` : text,
    href: `/notes?from=${day}&to=${day}#note-${id}`,
  }));
}

/** Filters as they appear in page URLs. */
function conditionsOf(filter: VariablesOf<'MarkedModels'>['filter']): string[] {
  const { endUserId, dimensions, agent, model, provider } = filter ?? {};
  const named = Object.entries({ agent, model, provider }).flatMap(([name, value]) =>
    typeof value === 'string' ? [`filter=${name}:${value}`] : [],
  );
  const ofDimensions = (Array.isArray(dimensions) ? dimensions : []) as { key: string; value: string }[];
  return [
    ...(typeof endUserId === 'string' ? [endUserId] : []),
    ...named,
    ...ofDimensions.map(({ key, value }) => `${key}:${value}`),
  ];
}

async function rateMarks(
  gateway: GatewayClient,
  principal: Principal,
  { start, end, filter }: VariablesOf<'MarkedModels'>,
  models: Promise<UsedModels | null>,
): Promise<ChartMark[]> {
  const groups =
    (await models) ??
    (await askGateway(gateway, MODELS, { start, end, filter: filter ?? null }, principal)).window.costs.nodes;
  // A repricing may use the model name as sent, which is not a cost group.
  const only = typeof filter?.model === 'string' ? filter.model : null;
  const used = groups.map(({ values }) => values.map(({ value }) => value));
  if (used.length === 0) return [];
  const providers = new Set(used.map(([provider]) => provider));
  const slugs = [...new Set(used.map(([, model = '']) => model))];
  const { rateCards, repricedPeriods } = await askGateway(gateway, RATES, { models: slugs, start, end }, principal);
  return [
    ...rateCards.nodes
      .filter(({ providerSlug }) => providerSlug === null || providers.has(providerSlug) || providers.has(UNKNOWN))
      .flatMap((card) => marksOf(card, { start, end })),
    ...(repricedPeriods ?? [])
      .filter(({ model }) => model === null || !only || model === only || slugs.includes(model))
      .map((period) => repricingMark(period, { start, end })),
  ];
}

/** Placed at the start of the period's visible part, and linked to the costs of that part. */
function repricingMark(period: RepricedPeriod, { start, end }: { start: string; end: string }): ChartMark {
  const from = Math.max(Date.parse(period.start), Date.parse(start));
  const until = Math.min(Date.parse(period.end), Date.parse(end));
  const what = `${period.model ?? 'all models'}${period.reverts === null ? '' : ', reverted'}`;
  return {
    at: new Date(from).toISOString(),
    kind: 'repricing',
    name: `${what} on ${dateInWords(new Date(period.finishedAt))}`,
    href: `/costs?from=${minuteOf(from)}&to=${minuteOf(until)}`,
  };
}

function marksOf(
  { rateCardId: id, modelSlug, isPrefix, versions }: Card,
  { start, end }: { start: string; end: string },
) {
  const [from, before] = [Date.parse(start), Date.parse(end)];
  return versions.flatMap(({ effectiveFrom }): ChartMark[] => {
    const at = effectiveFrom === null ? Number.NaN : Date.parse(effectiveFrom);
    return effectiveFrom !== null && from <= at && at < before
      ? [{ at: effectiveFrom, kind: 'rate', name: `${modelSlug}${isPrefix ? '…' : ''}`, href: `/rates/cards/${id}` }]
      : [];
  });
}
