/** `Window.ledgerCosts`: the ledger of a window as of an instant, and the part of it that corrects closed months. */
import { money, plain, sum } from '#kernel/money.ts';
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { LedgerCosts } from '../resolvers.generated.ts';
import { type LedgerLine, readLedgerLines } from './ledger-costs.query.ts';
import { readLedger } from './read-ledger.step.ts';

export async function getLedgerCosts(
  context: SubgraphContext,
  window: Window,
  asOf: string | null,
): Promise<LedgerCosts> {
  const lines = await readLedger(context, window, asOf, readLedgerLines);
  const corrections = lines.filter(({ correctedMonth }) => correctedMonth !== null);
  return {
    ...figuresOf(lines),
    models: [...Map.groupBy(lines, ({ providerSlug, modelSlug }) => `${providerSlug} ${modelSlug}`).values()].map(
      (ofModel) => ({
        modelSlug: ofModel[0]!.modelSlug,
        providerSlug: ofModel[0]!.providerSlug,
        ...figuresOf(ofModel),
      }),
    ),
    providers: [...Map.groupBy(lines, ({ providerSlug }) => providerSlug)]
      .map(([providerSlug, ofProvider]) => ({ providerSlug, ...figuresOf(ofProvider) }))
      .toSorted((one, other) => money(other.totalCost).comparedTo(money(one.totalCost))),
    corrections: [...Map.groupBy(corrections, ({ correctedMonth }) => correctedMonth!)]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([month, ofMonth]) => ({
        month,
        totalCost: figuresOf(ofMonth).totalCost,
        entryCount: count(ofMonth, ({ entries }) => entries),
      })),
  };
}

function figuresOf(lines: readonly LedgerLine[]): { readonly totalCost: string; readonly eventCount: number } {
  return {
    totalCost: plain(sum(lines.map(({ totalCost }) => money(totalCost)))),
    eventCount: count(lines, ({ events }) => events),
  };
}

function count(lines: readonly LedgerLine[], of: (line: LedgerLine) => number): number {
  return lines.reduce((all, line) => all + of(line), 0);
}
