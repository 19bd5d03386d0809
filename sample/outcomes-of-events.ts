/** Outcomes of the imaginary product: whether a conversation resolved a ticket, and whether research ended in a report. */
import { seededRandom } from './seeded-random.ts';
import type { UsageEvent } from './usage-event.ts';

/** As accepted by the API (`POST /ext/v1/outcomes`). */
export interface SampleOutcome {
  readonly key: string;
  readonly name: string;
  readonly succeeded: boolean;
  readonly at: string;
  readonly session_id: string;
  readonly value?: string;
  readonly stated_at: string;
}

/** The task of each type of session. Customers pay for resolved tickets; reports are part of their plan. */
const TASKS: Readonly<Record<string, { readonly name: string; readonly success: number; readonly value?: string }>> = {
  conversation: { name: 'ticket_resolved', success: 0.78, value: '0.99' },
  research: { name: 'report_written', success: 0.6 },
};

/** One per session of these types, at the time of its last event. The same events always have the same outcomes. */
export function outcomesOfEvents(events: readonly UsageEvent[]): SampleOutcome[] {
  const last = new Map<string, UsageEvent>();
  for (const event of events) {
    const session = event['session_id'];
    if (typeof session !== 'string') continue;
    if (event.event_invoked_at >= (last.get(session)?.event_invoked_at ?? '')) last.set(session, event);
  }
  return [...last].flatMap(([session, event]): SampleOutcome[] => {
    const task = TASKS[String(event['session_type'])];
    if (task === undefined) return [];
    const at = event.event_invoked_at;
    const succeeded = seededRandom(`outcome of ${session}`).next() < task.success;
    const value = succeeded && task.value !== undefined ? { value: task.value } : {};
    return [{ key: session, name: task.name, succeeded, at, session_id: session, ...value, stated_at: at }];
  });
}
