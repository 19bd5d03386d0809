/**
 * `Window.simulateCosts`: the hypothetical cost of a window under other models, rates and shares, by end user. Changes
 * nothing.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { type Amount, amount } from '#kernel/money.ts';
import { type PageInput, pageOf, parsePage, toConnection } from '#kernel/page-cursor.ts';
import { percent } from '#kernel/percent.ts';
import type { Window } from '#kernel/time/window.ts';
import { now } from '#platform/clock.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import { fail } from '#kernel/errors.ts';
import { SIMULATED_EVENTS_MAX, SIMULATION_PAGE_MAX } from '../config.ts';
import { findContextPolicy } from '../rates/context-policy.table.ts';
import { readInputSizes } from '../rates/input-sizes.query.ts';
import { findCardsOfVersions } from '../rates/rated-card.query.ts';
import { resolveRateCards } from '../rates/resolve-rate-card.step.ts';
import type { CostSimulation, SimulatedChange, SimulatedEndUser, SimulationFilter } from '../resolvers.generated.ts';
import type { PricingVersion } from './group-price.ts';
import { type Changes, parseChanges, type Replacement } from './parse-changes.ts';
import type { PricedGroup } from './priced-groups.query.ts';
import { readGroups } from './read-groups.step.ts';
import type { SimulationCards } from './simulate-group.ts';
import { simulateGroups } from './simulate-groups.ts';
import { tokenRatio } from './tokenizers.ts';

interface SimulationInput extends PageInput {
  readonly changes: readonly SimulatedChange[];
  readonly filter?: SimulationFilter | null | undefined;
  /** Maximum number of individual events to sum; days with a profile do not count. */
  readonly eventsMax: number;
  /** Cost of every end user, provided by attribution. */
  readonly costs: EndUserCostLines;
}

/**
 * Fails with `VALIDATION_ERROR` for invalid changes, with `NOT_FOUND` for a model that no card prices or that no event
 * of the window was booked under, and with `UNPROCESSABLE_ENTITY` for too many events.
 */
export async function simulateCosts(
  context: SubgraphContext,
  window: Window,
  { changes: inputs, filter, costs, eventsMax, ...paging }: SimulationInput,
): Promise<CostSimulation> {
  const organizationId = organizationOf(context);
  const page = parsePage(paging, SIMULATION_PAGE_MAX);
  if (eventsMax < 0 || eventsMax > SIMULATED_EVENTS_MAX)
    fail('VALIDATION_ERROR', `eventsMax must be from 0 to ${SIMULATED_EVENTS_MAX}`);
  const changes = parseChanges(inputs);
  const targets = await context.database.write(organizationId, (tx) => findTargets(tx, organizationId, changes));
  const { groups, versions } = await context.database.snapshot(organizationId, async (tx) => {
    const read = await readChangedGroups(tx, organizationId, window, changes, { filter, eventsMax });
    return { groups: read, versions: await findVersions(tx, organizationId, read) };
  });
  const cards = { ...targets, versions };
  refuseUnknownModels(changes, groups, cards);
  const { byEndUser, unassigned, kept } = simulateGroups(groups, changes, cards);

  const lines = costs.endUsers.map(([, externalId, cost]) => ({ externalId, before: amount(cost) }));
  const all = lines
    .map(({ externalId, before }) => ({ externalId, ...figuresOf(before, byEndUser.get(externalId) ?? NO_DIFFERENCE) }))
    .filter(({ before, difference }) => before !== 0n || difference.low !== 0n || difference.high !== 0n)
    .sort(largestFirst);
  const nodes = pageOf(all, page).map(({ externalId, ...figures }): SimulatedEndUser => ({
    endUser: { externalId } as SimulatedEndUser['endUser'],
    ...figures,
  }));
  const sum = (part: 'low' | 'expected' | 'high') =>
    [...byEndUser.values()].reduce((total, difference) => total + difference[part], unassigned[part]);
  return {
    total: figuresOf(amount(costs.total.cost), { low: sum('low'), expected: sum('expected'), high: sum('high') }),
    unassigned: figuresOf(amount(costs.unassigned.cost), unassigned),
    endUsers: toConnection(nodes, all.length, page),
    notCovered: kept,
    tokenizers: [...cards.targets].flatMap(([{ model }, { modelSlug }]) => {
      const ratio = tokenRatio(model, modelSlug);
      if (ratio === null) return [];
      const factor = ({ times, by }: { times: bigint; by: bigint }) => Number(times) / Number(by);
      return [
        {
          model,
          byModel: modelSlug,
          low: factor(ratio.low),
          expected: factor(ratio.expected),
          high: factor(ratio.high),
          source: ratio.source,
        },
      ];
    }),
  };
}

type Range = { readonly low: Amount; readonly expected: Amount; readonly high: Amount };

const NO_DIFFERENCE: Range = { low: 0n, expected: 0n, high: 0n };

function figuresOf(before: Amount, difference: Range) {
  return {
    before,
    after: {
      low: before + difference.low,
      expected: before + difference.expected,
      high: before + difference.high,
    },
    difference,
    isRange: difference.low !== difference.high,
    percent: percent(difference.expected, before),
  };
}

type Figures = ReturnType<typeof figuresOf> & { readonly externalId: string };

function largestFirst(one: Figures, other: Figures): number {
  const size = ({ difference: { expected } }: Figures) => (expected < 0n ? -expected : expected);
  if (size(one) !== size(other)) return size(one) > size(other) ? -1 : 1;
  if (one.before !== other.before) return one.before > other.before ? -1 : 1;
  return one.externalId < other.externalId ? -1 : 1;
}

type Targets = Omit<SimulationCards, 'versions'>;

async function findTargets(tx: WriteTransaction, organizationId: OrganizationId, changes: Changes): Promise<Targets> {
  const { replacements } = changes;
  const requests = replacements.map(({ byModel, byProvider }) => ({
    model: byModel,
    provider: byProvider,
    eventTimeMs: now().getTime(),
  }));
  const resolved = await resolveRateCards(tx, organizationId, requests);
  const targets = new Map<Replacement, PricingVersion>();
  for (const [index, replacement] of replacements.entries()) {
    const match = resolved[index]?.match ?? fail('NOT_FOUND', `No rate card prices ${replacement.byModel}`);
    if (match.version.version.perUnit !== null)
      fail(
        'VALIDATION_ERROR',
        `${replacement.byModel} is priced per unit: its cost cannot be derived from tokens of another model`,
      );
    const { id: cardId, modelSlug, providerSlug } = match.card;
    targets.set(replacement, { cardId, modelSlug, providerSlug, version: match.version.version });
  }
  const policy = await findContextPolicy(tx, organizationId);
  return { targets, unknownAtBase: policy?.unknownContext === 'base' };
}

async function readChangedGroups(
  tx: Transaction,
  organizationId: OrganizationId,
  window: Window,
  changes: Changes,
  { filter, eventsMax }: Pick<SimulationInput, 'filter' | 'eventsMax'>,
): Promise<PricedGroup[]> {
  return readGroups(tx, {
    organizationId,
    window,
    models: modelsOf(changes),
    endUser: filter?.endUser ?? null,
    agent: filter?.agent ?? null,
    inputSizes: await readInputSizes(tx, organizationId),
    eventsMax,
  });
}

/** Slugs of the models that change; null: every model. */
function modelsOf({ replacements, rates, cachedShares, batchShares }: Changes): string[] | null {
  const shares = [...cachedShares, ...batchShares].map(({ model }) => model);
  if (shares.includes(null)) return null;
  return [
    ...replacements.map(({ model }) => model),
    ...rates.map(({ model }) => model),
    ...shares.flatMap((model) => model ?? []),
  ];
}

async function findVersions(
  tx: Transaction,
  organizationId: OrganizationId,
  groups: readonly PricedGroup[],
): Promise<SimulationCards['versions']> {
  const ids = [...new Set(groups.flatMap(({ rateCardVersionId }) => rateCardVersionId ?? []))];
  const cards = await findCardsOfVersions(tx, organizationId, ids);
  return new Map(
    cards.flatMap(({ id: cardId, modelSlug, providerSlug, versions }) =>
      versions.map(({ id, version }) => [id, { cardId, modelSlug, providerSlug, version }] as const),
    ),
  );
}

/** A misspelled model is an error, rather than a difference of zero. */
function refuseUnknownModels(changes: Changes, groups: readonly PricedGroup[], { targets }: Targets): void {
  const booked = new Set(groups.map(({ modelSlug }) => modelSlug));
  const priced = new Set([...booked, ...[...targets.values()].map(({ modelSlug }) => modelSlug)]);
  const unknown =
    changes.replacements.find(({ model }) => !booked.has(model)) ??
    [...changes.rates, ...changes.cachedShares, ...changes.batchShares].find(
      ({ model }) => model !== null && !priced.has(model),
    );
  if (unknown) fail('NOT_FOUND', `No priced event of this window has the model ${JSON.stringify(unknown.model)}`);
}
