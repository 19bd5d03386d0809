/**
 * The outcome that an event belongs to: the first one of its task at or after the event's own time, or else the first
 * one of its session. An outcome that names a task owns events of the task only. Of two outcomes at the same time, the
 * one with the lesser key comes first.
 */

/** Metadata key of an event's task. */
const TASK_KEY = 'task_id';

/** SQL for the task of a fact. */
export const taskOf = (fact: string): string => `(${fact}.dimensions ->> '${TASK_KEY}')`;

/** An index of `cost_fact` on this expression. */
export const TASK_INDEX = `create index cost_fact_task_index on cost_fact (organization_id, (dimensions ->> '${TASK_KEY}'))
  where (dimensions ->> '${TASK_KEY}') is not null`;

/**
 * SQL for the key of the outcome that a row of `cost_fact` belongs to; null without one. Corrections and late costs may
 * be booked later, so the time of the event's first entry decides.
 */
export function ownerOf(fact: string, organization: string): string {
  const at = `case when ${fact}.sequence = 0 then ${fact}.event_time else coalesce((
      select first_entry.event_time from cost_fact first_entry
      where first_entry.organization_id = ${organization} and first_entry.event_id = ${fact}.event_id and first_entry.sequence = 0
    ), ${fact}.event_time) end`;
  const first = (conditions: string) => `(
    select owner.key from outcome owner where owner.organization_id = ${organization} and owner.livemode and ${conditions}
      and owner.at >= ${at} order by owner.at, owner.key limit 1)`;
  return `coalesce(
    (select kept.key from outcome_event kept where kept.organization_id = ${organization} and kept.event_id = ${fact}.event_id),
    ${first(`owner.task is not null and owner.task = ${taskOf(fact)}`)},
    ${first(`owner.task is null and owner.session is not null and owner.session = ${fact}.session_id`)})`;
}
