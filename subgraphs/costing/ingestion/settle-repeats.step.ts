/**
 * Determines the outcome of repeats of stored events, and replaces counts if a later report is better (decision 76).
 */
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import { resolveRateCards } from '../rates/resolve-rate-card.step.ts';
import type { ResolvedRate } from '../rates/resolved-rate.ts';
import type { IngestionSource } from './ingestion-source.ts';
import type { Report } from './compare-reports.ts';
import type { RepeatOutcome } from './repeat-outcome.ts';
import { judgeRepeats, type JudgedRepeats, type Repeat, type RepeatRule } from './judge-repeats.ts';
import { beginRevision, reviseCounts } from '../repricing/revise-counts.step.ts';
import { readStoredReports } from './stored-report.query.ts';

/** Returns the outcome of each repeat. Events are locked only if counts are replaced, and are then compared again. */
export async function settleRepeats(
  database: Database,
  source: IngestionSource,
  repeats: readonly Repeat[],
  rule: RepeatRule,
): Promise<ReadonlyMap<UsageEventDraft, RepeatOutcome>> {
  if (repeats.length === 0) return new Map();
  const { organizationId, receivedAt } = source;
  const judge = (tx: WriteTransaction, isHeld: boolean) => judgeIn(tx, source, repeats, { rule, isHeld });
  const seen = await database.write(organizationId, (tx) => judge(tx, false));
  if (seen.revisions.length === 0) return outcomesOf(repeats, seen);
  return database.write(organizationId, async (tx) => {
    await beginRevision(tx, organizationId);
    const judged = await judge(tx, true);
    await reviseCounts(tx, organizationId, judged.revisions, receivedAt);
    return outcomesOf(repeats, judged);
  });
}

function outcomesOf(repeats: readonly Repeat[], { outcomes }: JudgedRepeats): Map<UsageEventDraft, RepeatOutcome> {
  return new Map(repeats.map(({ draft }, index) => [draft, outcomes[index]!]));
}

async function judgeIn(
  tx: WriteTransaction,
  { organizationId, receivedAt }: IngestionSource,
  repeats: readonly Repeat[],
  { rule, isHeld }: { readonly rule: RepeatRule; readonly isHeld: boolean },
): Promise<JudgedRepeats> {
  const ids = [...new Set(repeats.map(({ eventId }) => eventId))].toSorted();
  const stored = await readStoredReports(tx, organizationId, ids, { isHeld });
  const requests = [...stored.values(), ...repeats.map(({ draft }) => draft)];
  const rates = await resolveRateCards(tx, organizationId, requests);
  const rateOf = new Map(requests.map((request, index) => [keyOf(request), rates[index]]));
  return judgeRepeats(repeats, stored, {
    rule,
    receivedAtMs: receivedAt.getTime(),
    rates: {
      isSameCard: (one, other) => {
        const [card, otherCard] = [cardOf(rateOf.get(keyOf(one))), cardOf(rateOf.get(keyOf(other)))];
        return card !== null && card === otherCard;
      },
      unitNamesOf: (event) => Object.keys(rateOf.get(keyOf(event))?.match?.version.version.unitPrices ?? {}),
    },
  });
}

function cardOf(rate: ResolvedRate | undefined): string | null {
  return rate?.match?.card.id ?? null;
}

function keyOf({ model, provider, eventTimeMs }: Pick<Report, 'model' | 'provider' | 'eventTimeMs'>): string {
  return JSON.stringify([model, provider, eventTimeMs]);
}
