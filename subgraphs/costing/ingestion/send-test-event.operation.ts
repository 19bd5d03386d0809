/** Ingests a generated test event, so that a person can see the result before integrating a program. */
import type { EventId } from '#kernel/ids.ts';
import { minuteOf } from '#kernel/time/instant.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { fail } from '#kernel/errors.ts';
import { parseUsageEvent } from '../events/parse-usage-event.ts';
import { ingestEvents } from './ingest-events.step.ts';
import { OUT_OF_CREDITS } from './ingestion-result.ts';
import { ingestionSource } from './ingestion-source.ts';

/** Sent as if by a test key, so no figure includes it. Fails with `UNPROCESSABLE_ENTITY` if no credit is left. */
export async function sendTestEvent(context: SubgraphContext): Promise<{ eventId: EventId; idempotencyKey: string }> {
  const at = now();
  // One key per minute: a second test event in the same minute is a resend, and costs no credit.
  const idempotencyKey = `test-${minuteOf(at.getTime())}`;
  const parsed = parseUsageEvent({
    idempotency_key: idempotencyKey,
    model: 'gpt-4o',
    provider: 'openai',
    input_tokens: 1_000,
    output_tokens: 100,
    event_invoked_at: at.toISOString(),
    user_id: 'customer-1',
    agent_id: 'support',
  });
  if (!parsed.ok) throw new Error(`The built-in test event is invalid: ${parsed.message}`);
  const source = { ...ingestionSource(context.principal, at), livemode: false };
  const [outcome] = await ingestEvents(context.database, source, [parsed.event], context.log);
  if (outcome === undefined || outcome.acceptance.outcome === 'uncovered')
    return fail('UNPROCESSABLE_ENTITY', OUT_OF_CREDITS);
  return { eventId: outcome.acceptance.eventId, idempotencyKey };
}
