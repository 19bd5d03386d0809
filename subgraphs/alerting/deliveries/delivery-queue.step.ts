/** The queue of deliveries: claims due ones for a process, and records how an attempt ended. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { Database } from '#platform/database/open-database.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { DELIVERY_LEASE_SECONDS } from '../config.ts';
import type { AlertDeliveryRow } from './alert-delivery.table.ts';

/** Concurrent deliveries per organization, so that its unresponsive endpoints leave capacity to others. */
const PARALLEL_OF_ORGANIZATION = 4;

const CLAIM_DELIVERY = statement(
  (
    input: Parameters<{ owner: string; now: Date }>,
  ) => sql<ClaimedDelivery>`update alert_delivery set lease_owner = ${input.owner},
       lease_until = ${input.now}::timestamptz + make_interval(secs => ${sql.lit(DELIVERY_LEASE_SECONDS)})
     where (organization_id, id) = (
       select due.organization_id, due.id from alert_delivery due
       where due.due_at <= ${input.now} and (due.lease_until is null or due.lease_until < ${input.now})
         and not exists (select 1 from alert_delivery held where held.organization_id = due.organization_id
           and held.channel_id = due.channel_id and held.lease_until >= ${input.now})
         and (select count(*) from alert_delivery held where held.organization_id = due.organization_id
           and held.lease_until >= ${input.now}) < ${sql.lit(PARALLEL_OF_ORGANIZATION)}
       order by due.due_at, due.id limit 1 for update skip locked)
     returning organization_id, id, channel_id, event_type, body, attempt`,
);

export type ClaimedDelivery = Pick<
  AlertDeliveryRow,
  'organizationId' | 'id' | 'channelId' | 'eventType' | 'body' | 'attempt'
>;

/**
 * Claims the delivery that has been due longest, for one process; null if none is due. Each channel receives one
 * delivery at a time.
 */
export async function claimDelivery(tx: WriteTransaction, owner: string, now: Date): Promise<ClaimedDelivery | null> {
  return tx.first(CLAIM_DELIVERY, { owner, now });
}

const ANY_DUE = statement(
  () => sql<object>`select true as is_due from alert_delivery /* every organization */ where due_at <= now() limit 1`,
);

/** True if a delivery may be due. Much cheaper than trying to claim one. */
export const isAnyDeliveryDue = async ({ lookUps }: Database) => (await lookUps.find(ANY_DUE, {})) !== null;

const COUNT_DUE = statement(
  () =>
    sql<{ due: number; oldestSeconds: number }>`select count(*)::float8 as due,
       coalesce(extract(epoch from now() - min(due_at)), 0)::float8 as oldest_seconds
     from alert_delivery /* every organization */ where due_at <= now()`,
);

/** Number of due deliveries in all organizations, and how long the oldest has been due. */
export function countDueDeliveries(tx: WriteTransaction): Promise<{ due: number; oldestSeconds: number }> {
  return tx.one(COUNT_DUE, {});
}

export interface DeliveryEnd {
  /** Number of attempts made, including this one. */
  readonly attempt: number;
  /** When the next attempt is made; null if no more are planned. */
  readonly dueAt: Date | null;
  readonly doneAt: Date | null;
  readonly gaveUpAt: Date | null;
  readonly lastError: string | null;
}

const END_ATTEMPT = statement(
  (
    input: Parameters<DeliveryEnd & { organizationId: OrganizationId; id: string; owner: string }>,
  ) => sql<object>`update alert_delivery set lease_owner = null, lease_until = null, attempt = ${input.attempt}, due_at = ${input.dueAt},
       done_at = ${input.doneAt}, gave_up_at = ${input.gaveUpAt}, last_error = ${input.lastError}
     where organization_id = ${input.organizationId} and id = ${input.id} and lease_owner = ${input.owner} returning 1 as held`,
);

/** False if the lease was lost: another process sends the delivery again. */
export async function endAttempt(
  tx: WriteTransaction,
  { organizationId, id }: ClaimedDelivery,
  owner: string,
  end: DeliveryEnd,
): Promise<boolean> {
  return (await tx.all(END_ATTEMPT, { ...end, organizationId, id, owner })).length > 0;
}

const GIVE_UP_CHANNEL = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; channelId: string; at: Date; reason: string }>,
  ) => sql<object>`update alert_delivery set due_at = null, lease_owner = null, lease_until = null, gave_up_at = ${input.at}, last_error = ${input.reason}
     where organization_id = ${input.organizationId} and channel_id = ${input.channelId} and due_at is not null`,
);

/** Abandons the pending deliveries of a channel. */
export async function giveUpChannel(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  channelId: string,
  at: Date,
  reason: string,
): Promise<void> {
  await tx.run(GIVE_UP_CHANNEL, { organizationId, channelId, at, reason });
}

const REDELIVER = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; id: string; at: Date }>,
  ) => sql<object>`update alert_delivery set due_at = ${input.at}, done_at = null, gave_up_at = null, last_error = null
     where organization_id = ${input.organizationId} and id = ${input.id}`,
);

/** Makes a delivery due immediately, with the same id. */
export async function makeDueAgain(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  at: Date,
): Promise<void> {
  await tx.run(REDELIVER, { organizationId, id, at });
}
