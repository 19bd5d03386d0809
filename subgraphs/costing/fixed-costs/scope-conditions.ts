/** SQL conditions on an `entry` of the ledger and its `event` that decide whether a call is in the scope of a fixed cost. */

/** True if the model of the `entry` is the SQL `pattern`, or begins with it up to a final `*`. */
export const matchesModel = (pattern: string): string =>
  `(lower(entry.model_slug) = ${pattern} or right(${pattern}, 1) = '*' and starts_with(lower(entry.model_slug), left(${pattern}, -1)))`;

/** Value of the `event` for the dimension that the SQL `key` names; empty if it has none. */
export const dimensionOfEvent = (key: string): string => `coalesce(case ${key}
  when 'feature' then event.feature when 'agent_id' then event.agent_id when 'workflow_id' then event.workflow_id
  when 'experiment_id' then event.experiment_id when 'variant' then event.variant when 'session_type' then event.session_type end, '')`;
