/**
 * Calls whose model cost a fixed cost replaces on a day (decision 105), as SQL for statements on the ledger. It depends on the
 * terms of fixed costs and not on allocated days, so it is known at once. Parameter: `organizationId`.
 */

const IN_FORCE = (day: string) => `fixed_cost.organization_id = :organizationId and fixed_cost.replaces_model_cost
  and ${day} >= period.from_day and (period.until_day is null or ${day} < period.until_day)`;
const WITH_PERIOD = `fixed_cost join fixed_cost_period period
  on period.organization_id = fixed_cost.organization_id and period.fixed_cost_id = fixed_cost.id`;

const IN_SCOPE = `
  (nullif(fixed_cost.scope -> 'models', 'null') is null or exists (
    select 1 from jsonb_array_elements_text(nullif(fixed_cost.scope -> 'models', 'null')) as pattern
    where lower(entry.model_slug) = pattern or right(pattern, 1) = '*' and starts_with(lower(entry.model_slug), left(pattern, -1))))
  and (nullif(fixed_cost.scope -> 'endUsers', 'null') is null or fixed_cost.scope -> 'endUsers' ? coalesce(event.end_user_external_id, ''))
  and not exists (
    select 1 from jsonb_array_elements(fixed_cost.scope -> 'dimensions') as condition
    where not condition -> 'values' ? coalesce(case condition ->> 'key'
      when 'feature' then event.feature when 'agent_id' then event.agent_id when 'workflow_id' then event.workflow_id
      when 'experiment_id' then event.experiment_id when 'variant' then event.variant when 'session_type' then event.session_type end, ''))`;

/**
 * SQL that is true if a fixed cost replaces an `entry` of the ledger that is booked on `day`. Organizations without
 * such a fixed cost read no event: the second query runs only if the first finds one.
 */
export const isReplaced = (day: string) => `case
  when (select exists (select 1 from fixed_cost where organization_id = :organizationId and replaces_model_cost)) then exists (
    select 1 from ${WITH_PERIOD}
    join usage_event event on event.organization_id = entry.organization_id and event.id = entry.event_id
    where ${IN_FORCE(day)} and ${IN_SCOPE})
  else false end`;

/** Text that changes if the calls that are replaced on `day` may have changed; empty if none are. */
export const replacedScopes = (day: string) => `coalesce((
  select md5(string_agg(fixed_cost.scope::text, ',' order by fixed_cost.id)) from ${WITH_PERIOD} where ${IN_FORCE(day)}), '')`;
