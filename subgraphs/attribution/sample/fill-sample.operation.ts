/** Records the outcomes of the sample data. */
import { now } from '#platform/clock.ts';
import { pace } from '#platform/slices.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { eventsOfDay } from '../../../sample/events-of-day.ts';
import { DAYS, historyBegan, historyDay, SAMPLE_SHARE } from '../../../sample/history.ts';
import { outcomesOfEvents } from '../../../sample/outcomes-of-events.ts';
import { hasOutcomes } from '../outcomes/outcome.table.ts';
import { parseOutcome, type SentOutcome } from '../outcomes/parse-outcome.ts';
import { recordStatements } from '../outcomes/record-outcomes.step.ts';

/** Runs in one transaction and is safe to repeat. Fails with `FORBIDDEN` unless the organization is a sample. */
export async function fillSample(context: SubgraphContext): Promise<{ outcomes: number }> {
  const organizationId = organizationOf(context);
  if (context.principal.sampleOf === undefined)
    fail('FORBIDDEN', 'Only a sample organization can be filled with sample data');
  const at = now();
  const days = await outcomesUntil(at);
  return context.database.write(organizationId, async (tx) => {
    // Repeating keeps the days of the first fill.
    if (await hasOutcomes(tx, organizationId)) return { outcomes: 0 };
    for (const day of days) if (day.length > 0) await recordStatements(tx, { organizationId, livemode: true }, day, at);
    return { outcomes: days.reduce((sum, day) => sum + day.length, 0) };
  });
}

/** Outcomes until an instant, by day. */
async function outcomesUntil(at: Date): Promise<SentOutcome[][]> {
  const began = historyBegan(at);
  const { isDue, rest } = pace();
  const days: SentOutcome[][] = [];
  for (let index = 0; index < DAYS; index++) {
    const { date, day } = historyDay(began, index);
    const events = eventsOfDay(date, day, SAMPLE_SHARE).filter(
      ({ event_invoked_at }) => new Date(event_invoked_at) <= at,
    );
    days.push(
      outcomesOfEvents(events).map((outcome) => {
        const parsed = parseOutcome(outcome);
        if (!parsed.ok) throw new Error(`A sample outcome is invalid: ${parsed.message}`);
        return parsed.outcome;
      }),
    );
    if (isDue()) await rest();
  }
  return days;
}
