/** Records a batch of outcomes. */
import { lockOrganization } from '#platform/database/locks.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { canonicalInstant, instantOf, requireInstant } from '#kernel/time/instant.ts';
import { fail } from '#schema/errors.ts';
import { OUTCOMES_PER_BATCH_MAX } from '../config.ts';
import type { OutcomeResult } from '../resolvers.generated.ts';
import { findLastStatements, SAVE_OUTCOMES, SAVE_VERSION_COUNTS } from './outcome.table.ts';
import { findKnownFingerprints, INSERT_VERSIONS } from './outcome-version.table.ts';
import { parseOutcome, type SentOutcome } from './parse-outcome.ts';
import { fingerprintOf, type OutcomeEffect, settleStatements } from './settle-statements.ts';

const MESSAGES: Readonly<Record<OutcomeEffect, string>> = {
  NEW: 'Recorded',
  CORRECTION: 'Recorded as a correction; the earlier statement is kept',
  SUPERSEDED: 'Recorded; a later statement about this key counts',
  NONE: 'Received before; nothing changed',
};
const WITHOUT_COST = 'The outcome names neither a task nor a session, so no cost belongs to it';

export interface RecordedOutcomes {
  readonly accepted: number;
  readonly failed: number;
  readonly results: OutcomeResult[];
}

/**
 * `items` is the parsed body. Fails with `VALIDATION_ERROR` unless it is an array of 1 to 100; errors of single items
 * are in their results. Outcomes are durable on return. Repeating the call changes nothing.
 */
export async function recordOutcomes(context: SubgraphContext, items: unknown): Promise<RecordedOutcomes> {
  if (!Array.isArray(items)) return fail('VALIDATION_ERROR', 'outcomes must be an array');
  if (items.length === 0 || items.length > OUTCOMES_PER_BATCH_MAX)
    fail(
      'VALIDATION_ERROR',
      `outcomes must hold 1 to ${OUTCOMES_PER_BATCH_MAX} items; this batch holds ${items.length}`,
    );
  const organizationId = organizationOf(context);
  const livemode = context.principal.environment !== 'test';
  const parsed = items.map(parseOutcome);
  const sent = parsed.flatMap((one) => (one.ok ? [one.outcome] : []));
  const effects = sent.length === 0 ? [] : await record(context, { organizationId, livemode }, sent);
  const effectOf = new Map(sent.map((outcome, index) => [outcome, effects[index]!]));
  const results = parsed.map((one, index): OutcomeResult =>
    one.ok
      ? {
          index,
          status: 'ACCEPTED',
          key: one.outcome.key,
          effect: effectOf.get(one.outcome)!,
          error: null,
          message: messageOf(one.outcome, effectOf.get(one.outcome)!),
        }
      : { index, status: 'REJECTED', key: one.key, effect: null, error: 'VALIDATION_ERROR', message: one.message },
  );
  return { accepted: sent.length, failed: results.length - sent.length, results };
}

function record(
  context: SubgraphContext,
  owner: { readonly organizationId: string; readonly livemode: boolean },
  sent: readonly SentOutcome[],
): Promise<readonly OutcomeEffect[]> {
  return context.database.write(owner.organizationId, async (tx) => {
    // Versions of a key are numbered without gaps, whoever else sends outcomes.
    await lockOrganization(tx, 'outcomes', owner.organizationId);
    const recordedAt = now();
    const keys = [...new Set(sent.map(({ key }) => key))];
    const last = await findLastStatements(tx, { ...owner, keys });
    const fingerprints = sent.map(({ fingerprint }) => fingerprint);
    const known = await findKnownFingerprints(tx, { ...owner, keys, fingerprints });
    const settled = settleStatements(
      sent,
      {
        last: last.map((one) => ({ ...one, statedAt: requireInstant('stated_at', canonicalInstant(one.statedAt)) })),
        fingerprints: new Set(known.map(fingerprintOf)),
      },
      instantOf(recordedAt),
    );
    if (settled.versions.length === 0) return settled.effects;
    await tx.run(INSERT_VERSIONS, { ...owner, recordedAt, items: JSON.stringify(settled.versions) });
    if (settled.current.length > 0) await tx.run(SAVE_OUTCOMES, { ...owner, items: JSON.stringify(settled.current) });
    if (settled.counted.length > 0)
      await tx.run(SAVE_VERSION_COUNTS, { ...owner, items: JSON.stringify(settled.counted) });
    return settled.effects;
  });
}

function messageOf({ task, session }: SentOutcome, effect: OutcomeEffect): string {
  return task === null && session === null ? `${MESSAGES[effect]}. ${WITHOUT_COST}` : MESSAGES[effect];
}
