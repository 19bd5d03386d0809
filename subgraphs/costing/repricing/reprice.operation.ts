/** Prices completed events of a period again and appends the differences: history is never rewritten (decision 9, D20). */
import { actorOf } from '../../../platform/subgraph/audit-record.ts';
import { now } from '../../../platform/clock.ts';
import type { Database, EntityManager } from '../../../platform/database/open-database.ts';
import { liftTimeLimit } from '../../../platform/database/sql.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { parseWindow } from '../../../kernel/time/window.ts';
import { REPRICE_EVENTS } from '../config.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { readRateGeneration, shareRates } from '../rates/rate-generation.table.ts';
import { type ResolvedRate, resolveRateCards } from '../rates/resolve-rate-card.step.ts';
import { describeReading, priceUsage } from '../pricing/price-usage.ts';
import {
  type Correction,
  type RepricedDay,
  type StandingCost,
  appendCorrections,
  readStandingCosts,
  sumCorrections,
} from './corrections.step.ts';
import {
  advanceRepricing,
  type DonePlace,
  findRepricing,
  findUnfinishedRepricing,
  holdRepricings,
  insertRepricing,
  type RepricingOrder,
  restartRepricing,
} from './repricing.table.ts';
import { type Repricing, repricingOf, sumByModelAndDay } from './repricing-result.ts';
import { costDifference, explainDifference, isNoDifference } from './cost-difference.ts';

export interface RepriceRequest {
  readonly start: string;
  readonly end: string;
  /** The model as sent, or the slug of the card that priced it. */
  readonly model?: string | null | undefined;
  readonly dryRun: boolean;
}

/**
 * In transactions of bounded size. Asked again with the same period and model, it goes on where it was interrupted, or begins again
 * when rates have changed since.
 */
export async function reprice(
  context: SubgraphContext,
  { start, end, model, dryRun }: RepriceRequest,
): Promise<Repricing> {
  const organizationId = organizationOf(context);
  const { database } = context;
  const window = parseWindow({ start, end });
  const order: RepricingOrder = {
    start: window.start.iso,
    end: window.end.iso,
    model: model?.trim() ?? null,
    reverts: null,
  };
  if (dryRun) return repricingOf(null, await tryOut(database, organizationId, order));
  const repricingId = await database.forOrganization(organizationId, async (em) => {
    await holdRepricings(em, organizationId);
    const begun = await findUnfinishedRepricing(em, organizationId, order);
    const id = begun ?? randomUuid();
    const at = now();
    if (begun === null) await insertRepricing(em, organizationId, id, order, at);
    await recordAudit(em, {
      organizationId,
      at,
      action: begun === null ? 'repricing.begun' : 'repricing.continued',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${order.model ?? 'all models'} from ${order.start} to ${order.end}`,
    });
    return id;
  });
  while (await database.acrossOrganizations((em) => repricePage(em, organizationId, repricingId))) continue;
  const byModel = await database.forOrganization(organizationId, (em) =>
    sumCorrections(em, organizationId, repricingId, order),
  );
  return repricingOf(repricingId, byModel);
}

/** Says whether there is more to do. */
async function repricePage(em: EntityManager, organizationId: string, repricingId: string): Promise<boolean> {
  await shareRates(em);
  await holdRepricings(em, organizationId);
  const repricing = await findRepricing(em, organizationId, repricingId);
  if (!repricing || repricing.finished) return false;
  // What was done by other rates is looked at again: in the end every event stands at the price of one moment.
  const generation = await readRateGeneration(em, organizationId);
  const isCurrent = repricing.rateGeneration === generation;
  if (!isCurrent) await restartRepricing(em, organizationId, repricingId, generation);
  const after = isCurrent ? repricing.done : null;
  const standing = await readStandingCosts(em, organizationId, repricing, after, REPRICE_EVENTS);
  const corrections = await correct(em, organizationId, standing);
  const at = now();
  await advanceRepricing(em, organizationId, repricingId, placeOf(standing), at);
  await appendCorrections(em, organizationId, repricingId, corrections, at);
  return standing.length > 0;
}

async function tryOut(database: Database, organizationId: string, order: RepricingOrder): Promise<RepricedDay[]> {
  let found: RepricedDay[] = [];
  let after: DonePlace = null;
  for (;;) {
    const place: DonePlace = after;
    const page = await database.forOrganization(organizationId, async (em) => {
      await liftTimeLimit(em);
      const standing = await readStandingCosts(em, organizationId, order, place, REPRICE_EVENTS);
      return { standing, corrections: await correct(em, organizationId, standing) };
    });
    found = sumByModelAndDay([
      ...found,
      ...page.corrections.map(({ standing, parts }) => ({
        modelSlug: standing.modelSlug,
        day: standing.event.eventTime.slice(0, 10),
        events: 1,
        difference: parts.total,
      })),
    ]);
    after = placeOf(page.standing);
    if (after === null) return found;
  }
}

async function correct(em: EntityManager, organizationId: string, standing: readonly StandingCost[]) {
  return repriceCosts(
    standing,
    await resolveRateCards(
      em,
      organizationId,
      standing.map(({ event }) => event),
    ),
  );
}

function placeOf(standing: readonly StandingCost[]): DonePlace {
  const last = standing.at(-1)?.event;
  return last ? { eventTime: last.eventTime, eventId: last.id } : null;
}

/**
 * Prices events again and tells which costs differ.
 *
 * `rates` in the order of `standing`. An event that no card prices any more keeps its cost.
 */
function repriceCosts(standing: readonly StandingCost[], rates: readonly ResolvedRate[]): Correction[] {
  return standing.flatMap((cost, index) => {
    const match = rates[index]?.match;
    const price = match ? priceUsage(cost.event, match.version.version) : null;
    if (!match || price?.kind !== 'priced') return [];
    const parts = costDifference(cost.parts, price.priced);
    if (isNoDifference(parts)) return [];
    return [
      {
        standing: cost,
        parts,
        entry: {
          rateCardId: match.card.id,
          rateCardVersionId: match.version.id,
          tierAbove: price.priced.tierAboveInputTokens,
          matchRule: match.rule,
          explanation: explainDifference(parts, describeReading(price.tokens)),
          cause: 'repriced',
        },
      },
    ];
  });
}
