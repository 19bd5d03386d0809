/**
 * Reports data that arrives and is not understood: fields, providers, pricing contexts and counts, each with its
 * frequency, first occurrence and an example.
 */
import { DAY_MS } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { listUnknownFieldRows } from '../events/unknown-field.table.ts';
import { suggestField } from '../events/unknown-fields.ts';
import type { CostingHealth, NotUnderstoodCause } from '../resolvers.generated.ts';
import { canonicalProvider, UNKNOWN_PROVIDER } from '#usage/names/canonical-provider.ts';
import {
  groupEntriesAtBase,
  groupGuessedEntries,
  groupUnpricedEvents,
  type UnpricedGroup,
} from './costing-health.query.ts';

const DAYS_MAX = 366;

/**
 * Covers guesses and costs at base rates of the last `days` days (1 to 366), and waiting or failed events and unknown
 * fields of any age. Lists that were not requested are not read, and are empty. Fails with `VALIDATION_ERROR`.
 */
export async function getCostingHealth(
  context: SubgraphContext,
  days: number,
  isWanted: (list: keyof CostingHealth) => boolean = () => true,
): Promise<CostingHealth> {
  if (!Number.isInteger(days) || days < 1 || days > DAYS_MAX) fail('VALIDATION_ERROR', `days must be 1 to ${DAYS_MAX}`);
  const organizationId = organizationOf(context);
  const since = new Date(now().getTime() - days * DAY_MS);
  const { fields, unpriced, guessed, atBase } = await context.database.snapshot(organizationId, async (tx) => ({
    fields: isWanted('unknownFields') ? await listUnknownFieldRows(tx, organizationId) : [],
    unpriced: isWanted('unpriced') ? await groupUnpricedEvents(tx, organizationId) : [],
    guessed: isWanted('guessed') ? await groupGuessedEntries(tx, organizationId, since) : [],
    atBase: isWanted('atBase') ? await groupEntriesAtBase(tx, organizationId, since) : [],
  }));
  return {
    unknownFields: fields.map((row) => ({
      ...row,
      meant: suggestField(row.name),
      firstSeenAt: new Date(row.firstSeenAt),
      lastSeenAt: new Date(row.lastSeenAt),
    })),
    unpriced: unpriced.map((group) => ({ ...withDates(group), cause: causeOf(group) })),
    guessed: guessed.map(withDates),
    atBase: atBase.map(withDates),
    guessedSince: since,
  };
}

function withDates<Group extends { readonly firstAt: string; readonly lastAt: string }>(group: Group) {
  return { ...group, firstAt: new Date(group.firstAt), lastAt: new Date(group.lastAt) };
}

/** The cause that a person can act on. Reasons begin with a code word, or describe what is missing. */
function causeOf({ status, reason, provider }: UnpricedGroup): NotUnderstoodCause {
  if (status === 'failed') return 'FAILED';
  if (reason.startsWith('unknown_context')) return 'UNKNOWN_CONTEXT';
  if (reason.startsWith('other_models')) return 'OTHER_MODELS';
  if (!reason.startsWith('No rate card')) return 'MISSING_RATE_OR_UNIT';
  return canonicalProvider(provider) === UNKNOWN_PROVIDER ? 'UNKNOWN_PROVIDER' : 'UNKNOWN_MODEL';
}
