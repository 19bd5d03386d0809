/** Destinations of alert messages: an endpoint, a Slack workspace or an e-mail address. Secrets are sealed. */
import type { OrganizationId } from '#kernel/ids.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const AlertChannelTable = defineEntity({
  name: 'AlertChannel',
  tableName: 'alert_channel',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.enum(['WEBHOOK', 'SLACK', 'EMAIL']),
    name: p.text(),
    /** Displayed address or URL. Slack's URL is a secret, so only its host is displayed. */
    target: p.text(),
    /**
     * AES-256-GCM: a webhook's signing secret, Slack's whole URL, or the code that confirms an e-mail address. Null
     * once the address is confirmed.
     */
    sealedSecret: p.blob().nullable(),
    /** Signs alongside the current secret until `previousUntil`, while receivers switch over. */
    sealedPreviousSecret: p.blob().nullable(),
    previousUntil: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    createdBy: p.uuid().nullable(),
    disabledAt: p.datetime(3).nullable(),
    /** Plain text. */
    disabledReason: p.text().nullable(),
    /** Time since which every attempted delivery has failed. */
    failingSince: p.datetime(3).nullable(),
    /**
     * Time at which the holder of an e-mail address agreed to receive alerts. Null before that, and for other kinds.
     */
    confirmedAt: p.datetime(3).nullable(),
    /** SHA-256 of the code that confirms the address, which has 256 random bits. Null if no confirmation is pending. */
    confirmationHash: p.blob().nullable(),
    confirmationExpiresAt: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'alert_channel_confirmation_index',
      expression:
        'create index alert_channel_confirmation_index on alert_channel (confirmation_hash) where confirmation_hash is not null',
    },
  ],
});

type Row = InferEntity<typeof AlertChannelTable>;

/** A channel as stored in the database. */
export type AlertChannelRow = { readonly [Key in keyof Row & string]-?: Exclude<Row[Key], undefined> };

export type ChannelKind = AlertChannelRow['kind'];

/** The organization's channels, ordered by creation time. */
export async function listChannels(tx: WriteTransaction, organizationId: OrganizationId): Promise<AlertChannelRow[]> {
  const orderBy = { createdAt: 'asc', id: 'asc' } as const;
  return (await tx.em.find(
    AlertChannelTable,
    { organizationId },
    { orderBy, disableIdentityMap: true },
  )) as AlertChannelRow[];
}

/** Null if the organization has none with this id. */
export async function findChannel(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
): Promise<AlertChannelRow | null> {
  const [channel] = await tx.em.find(AlertChannelTable, { organizationId, id }, { disableIdentityMap: true });
  return (channel as AlertChannelRow | undefined) ?? null;
}

/** Inserts a channel, or replaces it completely. */
export async function saveChannel(tx: WriteTransaction, channel: AlertChannelRow): Promise<AlertChannelRow> {
  return (await tx.em.upsert(AlertChannelTable, channel, { disableIdentityMap: true })) as AlertChannelRow;
}

const COUNT_CHANNELS = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<{ count: number }>`select count(*)::int as count from alert_channel where organization_id = ${organizationId}`,
);

/** Takes a lock: nobody else can add or change a channel until the transaction ends. */
export async function countChannels(tx: WriteTransaction, organizationId: OrganizationId): Promise<number> {
  await lockOrganization(tx, 'alertChannels', organizationId);
  const { count } = await tx.one(COUNT_CHANNELS, { organizationId });
  return count;
}

const LEAVE_RULES = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<object>`update alert_rule set channel_ids = array_remove(channel_ids, ${input.id}::text)
      where organization_id = ${input.organizationId} and ${input.id}::text = any(channel_ids)`,
);

const LEAVE_SCHEDULES = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<object>`update statement_schedule set channel_ids = array_remove(channel_ids, ${input.id}::text)
      where organization_id = ${input.organizationId} and ${input.id}::text = any(channel_ids)`,
);

const LEAVE_EXPORTS = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string }>) =>
    sql<object>`update export_schedule set channel_ids = array_remove(channel_ids, ${input.id}::text)
      where organization_id = ${input.organizationId} and ${input.id}::text = any(channel_ids)`,
);

/** Deletes the channel, and removes it from the rules and schedules that use it. */
export async function deleteChannel(tx: WriteTransaction, organizationId: OrganizationId, id: string): Promise<void> {
  await tx.run(LEAVE_RULES, { organizationId, id });
  await tx.run(LEAVE_SCHEDULES, { organizationId, id });
  await tx.run(LEAVE_EXPORTS, { organizationId, id });
  await tx.em.nativeDelete(AlertChannelTable, { organizationId, id });
}

const DISABLE_CHANNEL = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; at: Date; reason: string }>) =>
    sql<{ id: string }>`update alert_channel set disabled_at = ${input.at}, disabled_reason = ${input.reason}
      where organization_id = ${input.organizationId} and id = ${input.id} and disabled_at is null returning id`,
);

/** False if it was already disabled. */
export async function disableChannel(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  at: Date,
  reason: string,
): Promise<boolean> {
  return (await tx.all(DISABLE_CHANNEL, { organizationId, id, at, reason })).length > 0;
}

const FIND_BY_CONFIRMATION = statement(
  (input: Parameters<{ hash: Buffer; at: Date }>) =>
    sql<{
      organizationId: OrganizationId;
      id: string;
      target: string;
    }>`select organization_id, id, target from alert_channel
      where confirmation_hash = ${input.hash} and confirmation_expires_at > ${input.at}`,
);

/** The channel that a link confirms, in any organization; null if the link is invalid. */
export async function findByConfirmation(
  tx: WriteTransaction,
  input: { readonly hash: Buffer; readonly at: Date },
): Promise<{ readonly organizationId: OrganizationId; readonly id: string; readonly target: string } | null> {
  return tx.first(FIND_BY_CONFIRMATION, input);
}

const CONFIRM_CHANNEL = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; hash: Buffer; at: Date }>) =>
    sql<{ id: string }>`update alert_channel set confirmed_at = ${input.at}, failing_since = null, sealed_secret = null,
        confirmation_hash = null, confirmation_expires_at = null
      where organization_id = ${input.organizationId} and id = ${input.id}
        and confirmation_hash = ${input.hash} and confirmation_expires_at > ${input.at} returning id`,
);

/** Consumes the code: of several concurrent requests, one returns true. */
export async function confirmChannel(
  tx: WriteTransaction,
  input: { readonly organizationId: OrganizationId; readonly id: string; readonly hash: Buffer; readonly at: Date },
): Promise<boolean> {
  return (await tx.all(CONFIRM_CHANNEL, input)).length > 0;
}

const MARK_OUTCOME = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; failedAt: Date | null }>) =>
    sql<{
      failingMs: number | null;
    }>`update alert_channel set failing_since = case when ${input.failedAt}::timestamptz is null then null
        else coalesce(failing_since, ${input.failedAt}) end
      where organization_id = ${input.organizationId} and id = ${input.id}
      returning (extract(epoch from failing_since) * 1000)::float8 as failing_ms`,
);

/** Records that a delivery succeeded (null) or failed. Returns the time since which all have failed, if any. */
export async function markOutcome(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  id: string,
  failedAt: Date | null,
): Promise<Date | null> {
  const [row] = await tx.all(MARK_OUTCOME, { organizationId, id, failedAt });
  return row === undefined || row.failingMs === null ? null : new Date(row.failingMs);
}

const FORGET_SECRETS = statement(
  ({ at }: Parameters<{ at: Date }>) =>
    sql<object>`update alert_channel set sealed_previous_secret = null, previous_until = null where previous_until < ${at}`,
);

/** Deletes secrets from before a rotation that no longer sign, in all organizations. */
export async function forgetPreviousSecrets(tx: WriteTransaction, at: Date): Promise<void> {
  await tx.run(FORGET_SECRETS, { at });
}

const UNKNOWN_CHANNELS = statement(
  (input: Parameters<{ organizationId: OrganizationId; ids: readonly string[] }>) =>
    sql<{ id: string }>`select named.id from unnest(${input.ids}::uuid[]) as named (id)
      where not exists (select 1 from alert_channel where organization_id = ${input.organizationId} and id = named.id)`,
);

/** Returns the ids that are not channels of the organization. */
export async function findUnknownChannels(
  tx: Transaction,
  organizationId: OrganizationId,
  ids: readonly string[],
): Promise<string[]> {
  return (await tx.all(UNKNOWN_CHANNELS, { organizationId, ids })).map(({ id }) => id);
}
