/** Makes the profile of one day, in place of the one that was there. */
import { DAY_MS } from '../../../kernel/time/duration.ts';
import { instantOf } from '../../../kernel/time/instant.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { liftTimeLimit, query } from '../../../platform/database/sql.ts';
import { readInputSizes } from '../rates/input-sizes.query.ts';
import { GROUPS, TOKEN_COLUMNS } from './priced-groups.query.ts';
import { isOpenDay, type OpenDay } from './usage-profile-day.table.ts';

/** Excludes others who make profiles and those who forget them: what was read before an erasure is not written after it. */
const HOLD = 'lock table usage_profile_day in share row exclusive mode';

/** One statement, one snapshot: the hour counters say what the groups must add up to. */
const MAKE = `
  with grouped as materialized (${GROUPS}), counted as (
    select coalesce(sum(completed), 0) as events, coalesce(sum(total_cost), 0) as cost
    from cost_hour where organization_id = $1 and hour >= $2::timestamptz and hour < $3::timestamptz
  ), kept as (
    insert into usage_profile (organization_id, day, model_slug, provider_slug, external_id, rate_card_version_id, pricing_context,
      above_input_tokens, is_plain, events, cost, ${TOKEN_COLUMNS.join(', ')})
    select $1, $2::timestamptz, model_slug, provider_slug, coalesce(external_id, ''), coalesce(rate_card_version_id, ''), pricing_context,
      above_input_tokens, is_plain, events::bigint, cost::numeric, ${TOKEN_COLUMNS.map((column) => `${column}::bigint`).join(', ')}
    from grouped
  )
  insert into usage_profile_day (organization_id, day, events, cost, input_sizes, is_whole)
  select $1, $2::timestamptz, counted.events, counted.cost, to_jsonb($4::float8[]),
    counted.events = (select coalesce(sum(events), 0) from grouped) and counted.cost = (select coalesce(sum(cost::numeric), 0) from grouped)
  from counted`;

export async function makeProfile(em: EntityManager, { organizationId, day }: OpenDay): Promise<void> {
  await liftTimeLimit(em);
  await query(em, HOLD);
  const inputSizes = await readInputSizes(em, organizationId);
  if (!(await isOpenDay(em, { organizationId, day }, inputSizes))) return;
  for (const table of ['usage_profile_day', 'usage_profile'])
    await query(em, `delete from ${table} where organization_id = $1 and day = $2::timestamptz`, [organizationId, day]);
  const end = instantOf(new Date(Date.parse(day) + DAY_MS)).iso;
  await query(em, MAKE, [organizationId, day, end, inputSizes, null, null, null]);
}
