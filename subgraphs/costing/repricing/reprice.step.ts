/** Reprices completed events of a period and appends the differences: history is never rewritten (decision 9, D20). */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { OperationProgress } from '#platform/operations/operation-lease.ts';
import type { OperationKind } from '#platform/operations/run-operation.ts';
import { REPRICE_EVENTS } from '../config.ts';
import { describeReading, priceUsage } from '../pricing/price-usage.ts';
import { GUESSED, STATED } from '#usage/counts/read-tokens.ts';
import { pricingCardOf } from '../pricing/pricing-card-of.ts';
import { readRateGeneration, shareRates } from '../rates/rate-generation.table.ts';
import { resolveRateCards } from '../rates/resolve-rate-card.step.ts';
import type { ResolvedRate } from '../rates/resolved-rate.ts';
import { chargeDifference } from '../ledger/charge-lines.ts';
import { explanationLines, priceCharges } from '../ledger/price-charges.ts';
import { mayResumeRepricing } from './begin-repricing.step.ts';
import { appendCorrections, type Correction } from './corrections.step.ts';
import { costDifference, explainDifference, isNoDifference } from './cost-difference.ts';
import { type RepricingCursor, lockRepricings, markRepricingFinished, type RepricingOrder } from './repricing.table.ts';
import { readStandingCosts, type StandingCost } from './standing-costs.query.ts';

/** The rates used for all events up to the position `place`. */
interface RepricingProgress {
  readonly generation: string;
  readonly done: RepricingCursor;
}

export const REPRICE = 'reprice';

/**
 * Events repriced before a rate change are repriced again, so that in the end all events have prices of the same
 * moment.
 */
export const repriceKind: OperationKind = {
  kind: REPRICE,
  mayResume: mayResumeRepricing,
  step: (_, commit) =>
    commit(async (tx, { organizationId, id, parameters, place, done }): Promise<OperationProgress> => {
      await shareRates(tx);
      await lockRepricings(tx, organizationId);
      const generation = await readRateGeneration(tx, organizationId);
      const before = place as RepricingProgress | null;
      const isCurrent = before?.generation === generation;
      const after = isCurrent ? before.done : null;
      const page = await repricePage(tx, organizationId, parameters as RepricingOrder, after);
      await appendCorrections(tx, organizationId, id, page.corrections, now());
      const isFinished = page.place === null;
      if (isFinished) await markRepricingFinished(tx, organizationId, id);
      return {
        place: { generation, done: page.place } satisfies RepricingProgress,
        done: (isCurrent ? done : 0) + page.looked,
        isFinished,
      };
    }),
};

export interface RepricedPage {
  readonly corrections: readonly Correction[];
  readonly looked: number;
  /** Events without a price at current rates: they keep their cost. */
  readonly kept: number;
  /** Null: there are no more events. */
  readonly place: RepricingCursor;
}

/** Prices the next events at the rates seen by this transaction, without changing anything. */
export async function repricePage(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  order: RepricingOrder,
  after: RepricingCursor,
): Promise<RepricedPage> {
  const standing = await readStandingCosts(tx, organizationId, order, after, REPRICE_EVENTS);
  const rates = await resolveRateCards(
    tx,
    organizationId,
    standing.map(({ event }) => event),
  );
  const last = standing.at(-1)?.event;
  return {
    ...repriceCosts(standing, rates),
    looked: standing.length,
    place: last ? { eventTime: last.eventTime, eventId: last.id } : null,
  };
}

/**
 * Reprices events and returns those whose cost differs.
 *
 * `rates` are in the order of `standing`. An event that no card prices any more keeps its cost.
 */
function repriceCosts(
  standing: readonly StandingCost[],
  rates: readonly ResolvedRate[],
): Pick<RepricedPage, 'corrections' | 'kept'> {
  let kept = 0;
  const corrections = standing.flatMap((cost, index): Correction[] => {
    const rate = rates[index];
    const match = rate?.match;
    const price = match ? priceUsage(cost.event, pricingCardOf(rate)) : null;
    if (!match || price?.kind !== 'priced') {
      kept++;
      return [];
    }
    const parts = costDifference(cost.parts, price.priced);
    // An entry is also added if the cost stays the same, but a guess is resolved, or the cost is a guess again because
    // a statement was removed.
    const isGuess = price.tokens.name === GUESSED;
    const isResolved = cost.reading === GUESSED && !isGuess;
    const isOpenAgain = cost.reading === STATED && isGuess;
    if (isNoDifference(parts) && !isResolved && !isOpenAgain) return [];
    const { charges: after } = priceCharges(
      cost.event,
      rate,
      price.priced,
      price.tokens,
      explanationLines(price.priced),
    );
    const charges = chargeDifference(cost.charges, after);
    return [
      {
        standing: cost,
        parts,
        charges,
        entry: {
          rateCardId: match.card.id,
          rateCardVersionId: match.version.id,
          tierAbove: price.priced.tierAboveInputTokens,
          matchRule: match.rule,
          explanation: explainDifference(parts, charges, describeReading(price.tokens)),
          pricingContext: price.priced.context,
          unknownContext: price.priced.unknownContext || null,
          reading: price.tokens.name,
          cause: 'repriced',
        },
      },
    ];
  });
  return { corrections, kept };
}
