/** Removes the metadata of events older than their organization's retention. Costs stay. */
import { now } from '#platform/clock.ts';
import type { Database, EntityManager } from '#platform/database/open-database.ts';
import { query } from '#platform/database/sql.ts';
import { type Job, UPKEEP_SHARE } from '#platform/job-loop.ts';
import { later } from '#kernel/time/duration.ts';
import { METADATA_CHECK_SECONDS, REDUCED_EVENTS_MAX } from '../config.ts';
import { type DueRetention, findDueRetentions, lockRetention, moveRetention } from './metadata-retention.table.ts';
import { beginReduction, reduceEvents } from './reduce-events.step.ts';

const REST_MILLISECONDS = 30_000;

export function dropMetadataJob(
  { database }: { readonly database: Database },
  eventsMax: number = REDUCED_EVENTS_MAX,
): Job {
  return {
    name: 'drop-metadata',
    restMilliseconds: REST_MILLISECONDS,
    share: UPKEEP_SHARE,
    async step() {
      // Found in a separate transaction, since pricing waits for the one that removes metadata.
      for (const organizationId of await findDueRetentions(database, now()))
        if (await database.acrossOrganizations((em) => dropMetadata(em, organizationId, eventsMax))) return 'more';
      return 'idle';
    },
  };
}

/** Returns true if the organization was due. */
async function dropMetadata(em: EntityManager, organizationId: string, eventsMax: number): Promise<boolean> {
  await beginReduction(em);
  const at = now();
  const due = await lockRetention(em, organizationId, at);
  if (due === null) return false;
  const { keepDimensions } = due;
  const events = await eventsBefore(em, due, eventsMax);
  const eventIds = events.filter(({ hasMetadata }) => hasMetadata).map(({ id }) => id);
  if (eventIds.length > 0)
    await reduceEvents(em, organizationId, eventIds, { keepDimensions, pseudonym: null, replaces: null }, at);
  const isThrough = events.length < eventsMax;
  const next = isThrough ? later(at, METADATA_CHECK_SECONDS) : at;
  await moveRetention(em, organizationId, events.at(-1)?.id ?? due.doneUntil, next);
  return true;
}

function eventsBefore(
  em: EntityManager,
  { organizationId, doneUntil, horizon }: DueRetention,
  max: number,
): Promise<{ id: string; hasMetadata: boolean }[]> {
  return query(
    em,
    `select id, metadata is not null as has_metadata from usage_event
     where organization_id = $1 and id > $2::uuid and id < $3::uuid order by id limit $4`,
    [organizationId, doneUntil, horizon, max],
  );
}
