/** Records a batch of outcomes. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { OUTCOMES_PER_BATCH_MAX } from '../config.ts';
import type { OutcomeResult } from '../resolvers.generated.ts';
import { parseOutcome, type SentOutcome } from './parse-outcome.ts';
import { recordStatements, requireRoom } from './record-outcomes.step.ts';
import type { OutcomeEffect } from './settle-statements.ts';

const MESSAGES: Readonly<Record<OutcomeEffect, string>> = {
  NEW: 'Recorded',
  CORRECTION: 'Recorded as a correction; the earlier statement is kept',
  SUPERSEDED: 'Recorded as history; a later statement about this key is in effect',
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
 *
 * `newOutcomesMax`: how many new outcomes the sender's rate limit still allows. If more outcomes are new, nothing is
 * recorded, and the call fails with `RATE_LIMIT_EXCEEDED`. Invalid outcomes count as new.
 */
export async function recordOutcomes(
  context: SubgraphContext,
  items: unknown,
  newOutcomesMax = Infinity,
): Promise<RecordedOutcomes> {
  if (!Array.isArray(items)) return fail('VALIDATION_ERROR', 'outcomes must be an array');
  if (items.length === 0 || items.length > OUTCOMES_PER_BATCH_MAX)
    fail(
      'VALIDATION_ERROR',
      `outcomes must contain 1 to ${OUTCOMES_PER_BATCH_MAX} items; this batch contains ${items.length}`,
    );
  const organizationId = organizationOf(context);
  const livemode = context.principal.environment !== 'test';
  const parsed = items.map(parseOutcome);
  const sent = parsed.flatMap((one) => (one.ok ? [one.outcome] : []));
  const invalid = items.length - sent.length;
  requireRoom(invalid, newOutcomesMax);
  const effects =
    sent.length === 0
      ? []
      : await context.database.write(organizationId, (tx) =>
          recordStatements(tx, { organizationId, livemode }, sent, now(), newOutcomesMax - invalid),
        );
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

function messageOf({ task, session }: SentOutcome, effect: OutcomeEffect): string {
  return task === null && session === null ? `${MESSAGES[effect]}. ${WITHOUT_COST}` : MESSAGES[effect];
}
