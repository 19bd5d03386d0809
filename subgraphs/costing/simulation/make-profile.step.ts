/** Creates the usage profile of one day, and replaces an existing one. */
import type { OrganizationId } from '#kernel/ids.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { instantOf } from '#kernel/time/instant.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { byHome, type Home, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import { statement } from '#platform/database/statement.ts';
import { readInputSizes } from '../rates/input-sizes.query.ts';
import { GROUPS, type GroupsInput, TOKEN_COLUMNS } from './priced-groups.query.ts';
import { isOpenDay, lockProfiles, type OpenDay } from './usage-profile-day.table.ts';

interface ReadProfile {
  /** JSON. */
  readonly groups: string;
  readonly events: string;
  readonly cost: string;
  readonly isWhole: boolean;
}

/** Uses one statement and thus one snapshot, because the groups must add up to the hour counters. */
const READ_PROFILE = statement<ReadProfile, GroupsInput>(`
  with grouped as materialized (${GROUPS}), counted as materialized (
    select coalesce(sum(completed), 0) as events, coalesce(sum(total_cost), 0) as cost
    from cost_hour where organization_id = :organizationId and hour >= :start::timestamptz and hour < :end::timestamptz
  )
  select (select coalesce(json_agg(grouped), '[]')::text from grouped) as groups, events::text, cost::text,
    events = (select coalesce(sum(events), 0) from grouped) and cost = (select coalesce(sum(cost::numeric), 0) from grouped) as is_whole
  from counted`);

const insert = (home: Home) => `
  insert into usage_profile (organization_id, day, model_slug, provider_slug, external_id, rate_card_version_id, pricing_context,
    above_input_tokens, is_plain, events, cost, ${TOKEN_COLUMNS.join(', ')})
  ${selectAtHome(
    home,
    `:day::timestamptz, model_slug, provider_slug, coalesce(external_id, ''), coalesce(rate_card_version_id, ''), pricing_context,
    above_input_tokens, is_plain, events, cost, ${TOKEN_COLUMNS.join(', ')}`,
    `(select :organizationId::uuid as organization_id, item.* from json_to_recordset(:groups::json) as item (
      model_slug text, provider_slug text, external_id text, rate_card_version_id text, pricing_context text, above_input_tokens bigint,
      is_plain boolean, events bigint, cost numeric, ${TOKEN_COLUMNS.map((column) => `${column} bigint`).join(', ')})) as grouped`,
  )}`;
const INSERT = statement<object, { organizationId: OrganizationId; day: string; groups: string }>(byHome(insert));

interface ProfileDay {
  readonly organizationId: OrganizationId;
  readonly day: string;
}

const DELETE_PROFILE = ['usage_profile_day', 'usage_profile'].map((table) =>
  statement<object, ProfileDay>(
    `delete from ${table} where organization_id = :organizationId and day = :day::timestamptz`,
  ),
);

const INSERT_DAY = statement<
  object,
  ProfileDay & { events: string; cost: string; inputSizes: string; isWhole: boolean }
>(`
  insert into usage_profile_day (organization_id, day, events, cost, input_sizes, is_whole)
  values (:organizationId, :day::timestamptz, :events, :cost, :inputSizes::jsonb, :isWhole)`);

/** Does nothing if the day has a valid profile by now. */
export async function makeProfile(tx: WriteTransaction, { organizationId, day }: OpenDay): Promise<void> {
  await liftTimeLimit(tx);
  await lockProfiles(tx, organizationId);
  const inputSizes = await readInputSizes(tx, organizationId);
  if (!(await isOpenDay(tx, { organizationId, day }, inputSizes))) return;
  for (const remove of DELETE_PROFILE) await tx.run(remove, { organizationId, day });
  const end = instantOf(new Date(Date.parse(day) + DAY_MS)).iso;
  const { groups, events, cost, isWhole } = await tx.one(READ_PROFILE, {
    organizationId,
    start: day,
    end,
    inputSizes,
    models: null,
    endUser: null,
    agent: null,
  });
  await tx.run(INSERT, { organizationId, day, groups });
  await tx.run(INSERT_DAY, { organizationId, day, events, cost, inputSizes: JSON.stringify(inputSizes), isWhole });
}
