/**
 * Calls whose model cost a fixed cost replaces on a day (decision 105), as SQL for statements on the ledger. It depends on the
 * terms of fixed costs and not on allocated days, so it is known at once. Statements begin with {@link REPLACING}.
 */
import { dimensionOfEvent, matchesModel } from './scope-conditions.ts';

/** Table expression: the periods of fixed costs that replace calls. Parameter: `organizationId`. */
export const REPLACING = `replacing as materialized (
  select fixed_cost.id, fixed_cost.scope, period.from_day, period.until_day
  from fixed_cost join fixed_cost_period period
    on period.organization_id = fixed_cost.organization_id and period.fixed_cost_id = fixed_cost.id
  where fixed_cost.organization_id = :organizationId and fixed_cost.replaces_model_cost)`;

const IN_FORCE = (day: string) =>
  `${day} >= replacing.from_day and (replacing.until_day is null or ${day} < replacing.until_day)`;

const IN_SCOPE = `
  (nullif(replacing.scope -> 'models', 'null') is null or exists (
    select 1 from jsonb_array_elements_text(nullif(replacing.scope -> 'models', 'null')) as pattern where ${matchesModel('pattern')}))
  and (nullif(replacing.scope -> 'endUsers', 'null') is null or replacing.scope -> 'endUsers' ? coalesce(event.end_user_external_id, ''))
  and not exists (
    select 1 from jsonb_array_elements(replacing.scope -> 'dimensions') as condition
    where not condition -> 'values' ? ${dimensionOfEvent("condition ->> 'key'")})`;

/**
 * SQL that is true if a fixed cost replaces an `entry` of the ledger that is booked on `day`. Organizations without
 * such a fixed cost read no event: the second query runs only if the first finds one.
 */
export const isReplaced = (day: string): string => `case
  when (select exists (select 1 from replacing)) then exists (
    select 1 from replacing
    join usage_event event on event.organization_id = :organizationId and event.id = entry.event_id
    where ${IN_FORCE(day)} and ${IN_SCOPE})
  else false end`;

/** Text that changes whenever the set of calls replaced on `day` may have changed; empty if no calls are replaced. */
export const replacedScopes = (day: string): string => `coalesce((
  select md5(string_agg(replacing.scope::text, ',' order by replacing.id)) from replacing where ${IN_FORCE(day)}), '')`;
