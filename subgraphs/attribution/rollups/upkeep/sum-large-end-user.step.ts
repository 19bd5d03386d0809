/** Sums the earlier days of an end user that has become large, the latest days first. */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import { byOrganization, lookAcross } from '#platform/database/nodes/look-across.ts';
import { byHome } from '#platform/database/nodes/organization-home.ts';
import type { Database } from '#platform/database/open-database.ts';
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { lockOffset } from '../../feed/feed-offset.table.ts';
import { addToEndUserModelDay, endUserModelDaySums } from '../end-user-model-day.table.ts';

/** Runs one step. Returns true if an end user had days to sum. */
export async function sumNextLargeEndUser(database: Database, factsMax: number): Promise<boolean> {
  const [next] = await lookAcross<LargeEndUser>(database, {
    tables: ['large_end_user'],
    text: (table) => `
      select organization_id, end_user_id from ${table} where summed_from > '-infinity' order by organization_id limit 1`,
    parameters: [],
    compare: byOrganization,
  });
  if (!next) return false;
  await database.system((tx) => sumEarlierDays(tx, next, factsMax));
  return true;
}

interface LargeEndUser {
  readonly organizationId: OrganizationId;
  readonly endUserId: EndUserId;
}

interface Days extends LargeEndUser {
  readonly from: string;
  readonly until: string;
}

const startOf = (day: string) => `(${day}::date::timestamp at time zone 'UTC')`;

/** The day of the fact that is `factsMax` before the first summed day; its facts are added, too. */
const FIND_DAYS = statement<{ from: string; until: string }, LargeEndUser & { factsMax: number }>(`
  select summed_from::text as until, coalesce((
    select (event_time at time zone 'UTC')::date from cost_fact
    where organization_id = :organizationId and end_user_id = :endUserId and event_time < ${startOf('summed_from')}
    order by event_time desc offset :factsMax::int limit 1), '-infinity')::text as from
  from large_end_user where organization_id = :organizationId and end_user_id = :endUserId and summed_from > '-infinity'`);

const EXTEND = statement<object, Days>(
  'update large_end_user set summed_from = :from::date where organization_id = :organizationId and end_user_id = :endUserId',
);

const FACTS = `(
  select * from cost_fact where organization_id = :organizationId and end_user_id = :endUserId
    and event_time >= ${startOf(':from')} and event_time < ${startOf(':until')})`;
const ADD_DAYS = statement<object, Days>(
  byHome((home) => addToEndUserModelDay(`(${endUserModelDaySums(FACTS, home)}) as day`, home)),
);

/** No fact can arrive during the step: later ones are added to the days that it has summed. */
async function sumEarlierDays(tx: WriteTransaction, endUser: LargeEndUser, factsMax: number): Promise<void> {
  await lockOffset(tx, endUser.organizationId);
  const found = await tx.first(FIND_DAYS, { ...endUser, factsMax });
  if (!found) return;
  const days = { ...endUser, ...found };
  await tx.run(EXTEND, days);
  await tx.run(ADD_DAYS, days);
}
