/** Removes the metadata of events older than their organization's retention. Costs stay. */
import type { OrganizationId } from '#kernel/ids.ts';
import { now } from '#platform/clock.ts';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
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
      // Due organizations are found in a separate transaction, since pricing waits for the transaction that removes
      // metadata.
      for (const organizationId of await findDueRetentions(database, now()))
        if (await database.system((tx) => dropMetadata(tx, organizationId, eventsMax))) return 'more';
      return 'idle';
    },
  };
}

/** Returns true if the organization was due. */
async function dropMetadata(tx: WriteTransaction, organizationId: OrganizationId, eventsMax: number): Promise<boolean> {
  await beginReduction(tx);
  const at = now();
  const due = await lockRetention(tx, organizationId, at);
  if (due === null) return false;
  const { keepDimensions } = due;
  const events = await eventsBefore(tx, due, eventsMax);
  const eventIds = events.filter(({ hasMetadata }) => hasMetadata).map(({ id }) => id);
  if (eventIds.length > 0)
    await reduceEvents(tx, organizationId, eventIds, { keepDimensions, pseudonym: null, replaces: null }, at);
  const isThrough = events.length < eventsMax;
  const next = isThrough ? later(at, METADATA_CHECK_SECONDS) : at;
  await moveRetention(tx, organizationId, events.at(-1)?.id ?? due.doneUntil, next);
  return true;
}

const EVENTS_BEFORE = statement<
  { id: string; hasMetadata: boolean },
  {
    readonly organizationId: OrganizationId;
    readonly doneUntil: string;
    readonly horizon: string;
    readonly max: number;
  }
>(`select id, metadata is not null as has_metadata from usage_event
     where organization_id = :organizationId and id > :doneUntil::uuid and id < :horizon::uuid order by id limit :max`);

function eventsBefore(
  tx: WriteTransaction,
  { organizationId, doneUntil, horizon }: DueRetention,
  max: number,
): Promise<{ id: string; hasMetadata: boolean }[]> {
  return tx.all(EVENTS_BEFORE, { organizationId, doneUntil, horizon, max });
}
