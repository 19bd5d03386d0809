/** `Window.ledgerCosts`: the ledger of a window as it was at an instant, and what of it corrects closed months. */
import { money, plain, sum } from '../../../kernel/money.ts';
import type { Window } from '../../../kernel/time/window.ts';
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { LEDGER_ENTRIES_MAX } from '../config.ts';
import type { LedgerCosts } from '../resolvers.generated.ts';
import { type LedgerLine, readLedgerLines } from './ledger-costs.query.ts';

/** Fails with `UNPROCESSABLE_ENTITY` for more entries than are read at once, with `VALIDATION_ERROR` for an instant to come. */
export async function getLedgerCosts(
  context: SubgraphContext,
  window: Window,
  asOf: string | null,
): Promise<LedgerCosts> {
  const organizationId = organizationOf(context);
  const instant = asOf === null ? null : new Date(asOf);
  if (instant !== null && instant > now()) fail('VALIDATION_ERROR', 'asOf must not lie in the future');
  const lines = await context.database.read(organizationId, (tx) =>
    readLedgerLines(tx, organizationId, window, instant, LEDGER_ENTRIES_MAX),
  );
  if (lines === null)
    return fail('UNPROCESSABLE_ENTITY', `More than ${LEDGER_ENTRIES_MAX} entries: ask for a shorter window`);
  const corrections = lines.filter(({ correctedMonth }) => correctedMonth !== null);
  return {
    totalCost: total(lines),
    eventCount: count(lines, ({ events }) => events),
    models: [...Map.groupBy(lines, ({ providerSlug, modelSlug }) => `${providerSlug} ${modelSlug}`).values()].map(
      (ofModel) => ({
        modelSlug: ofModel[0]!.modelSlug,
        providerSlug: ofModel[0]!.providerSlug,
        totalCost: total(ofModel),
        eventCount: count(ofModel, ({ events }) => events),
      }),
    ),
    corrections: [...Map.groupBy(corrections, ({ correctedMonth }) => correctedMonth!)]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([month, ofMonth]) => ({
        month,
        totalCost: total(ofMonth),
        entryCount: count(ofMonth, ({ entries }) => entries),
      })),
  };
}

function total(lines: readonly LedgerLine[]): string {
  return plain(sum(lines.map(({ totalCost }) => money(totalCost))));
}

function count(lines: readonly LedgerLine[], of: (line: LedgerLine) => number): number {
  return lines.reduce((all, line) => all + of(line), 0);
}
