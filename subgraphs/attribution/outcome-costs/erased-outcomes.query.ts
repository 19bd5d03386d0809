/** Statements that erase an end user from outcomes. */
import type { EndUserId, OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { randomUuid } from '#platform/random.ts';
import { countKeptEvents, keepOwners } from '../outcomes/outcome-event.table.ts';
import { ownerOf, taskOf } from '../outcomes/owner.query.ts';

/** Outcomes that state the end user in some version, and outcomes that state no end user and own one of its events. */
export const FIND_OUTCOMES_OF = statement<
  { key: string },
  { organizationId: OrganizationId; externalId: string; endUserId: EndUserId }
>(`
  select key from outcome_version where organization_id = :organizationId and end_user = :externalId
  union
  select owned.key from (
    select ${ownerOf('fact', ':organizationId')} as key from cost_fact fact
    where fact.organization_id = :organizationId and fact.end_user_id = :endUserId::uuid and fact.sequence = 0
  ) as owned
  join outcome on outcome.organization_id = :organizationId and outcome.livemode and outcome.key = owned.key
  where outcome.end_user is null`);

interface OfKeys {
  readonly organizationId: OrganizationId;
  readonly keys: readonly string[];
}

/** Facts of the tasks and sessions of these outcomes. */
const facts = `(
  select fact.* from outcome o join cost_fact fact on fact.organization_id = :organizationId and ${taskOf('fact')} = o.task
  where o.organization_id = :organizationId and o.livemode and o.key = any(:keys::text[]) and o.task is not null
  union all
  select fact.* from outcome o join cost_fact fact on fact.organization_id = :organizationId and fact.session_id = o.session
  where o.organization_id = :organizationId and o.livemode and o.key = any(:keys::text[]) and o.task is null)`;

/** To be run in this order, while facts still name their sessions. */
export const KEEP_THEIR_EVENTS = [
  statement<object, OfKeys>(keepOwners(facts, ':organizationId')),
  statement<object, OfKeys>(countKeptEvents(facts, ':organizationId')),
];

/** Name of an erased task or session. */
export const erasedName = (): string => `erased-${randomUuid()}`;
/** Matches only names that an erasure created: a caller's own names may also begin with `erased-`. */
const ERASED_NAME = '^erased-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';

/** Texts of the tasks and sessions to replace. */
export const LIST_SUBJECTS = statement<{ subject: string }, OfKeys & { externalId: string }>(`
  select distinct subject from outcome_version cross join lateral (values (task), (session)) as named (subject)
  where organization_id = :organizationId and key = any(:keys::text[]) and (end_user is null or end_user = :externalId)
    and subject is not null and subject !~ '${ERASED_NAME}' order by 1`);

const eraseFrom = (table: 'outcome' | 'outcome_version') =>
  statement(
    (input: Parameters<OfKeys & { externalId: string; pseudonym: string; subjects: string }>) => sql<object>`
    update ${sql.table(table)} set metadata = '{}', end_user = case when end_user is not null then ${input.pseudonym}::text end,
      task = coalesce(${input.subjects}::jsonb ->> task, task), session = coalesce(${input.subjects}::jsonb ->> session, session)
    where organization_id = ${input.organizationId} and key = any(${input.keys}::text[])
      and (end_user is null or end_user = ${input.externalId})`,
  );

/** `subjects` is a JSON object: the replacement of each task and session. */
export const ERASE_OUTCOMES = [eraseFrom('outcome'), eraseFrom('outcome_version')];
