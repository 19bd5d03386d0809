/** Where messages of alerts go: an endpoint, a Slack workspace, an address. Secrets are sealed. */
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { type Parameters, run, statement } from '../../../platform/database/statement.ts';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const AlertChannelTable = defineEntity({
  name: 'AlertChannel',
  tableName: 'alert_channel',
  ...tenantTable('alerting'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.enum(['WEBHOOK', 'SLACK', 'EMAIL']),
    name: p.text(),
    /** An address or a URL as people may see it; of Slack, whose URL is a secret, its host. */
    target: p.text(),
    /** AES-256-GCM: a webhook's signing secret, Slack's whole URL; null for e-mail. */
    sealedSecret: p.blob().nullable(),
    /** Signs besides the other one until then, while receivers change over. */
    sealedPreviousSecret: p.blob().nullable(),
    previousUntil: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    createdBy: p.uuid().nullable(),
    disabledAt: p.datetime(3).nullable(),
    /** In plain words. */
    disabledReason: p.text().nullable(),
    /** Since when no delivery has succeeded although some were tried. */
    failingSince: p.datetime(3).nullable(),
  },
});

const UNKNOWN_CHANNELS = statement(
  (input: Parameters<{ organizationId: string; ids: readonly string[] }>) =>
    sql<{ id: string }>`select named.id from unnest(${input.ids}::uuid[]) as named (id)
      where not exists (select 1 from alert_channel where organization_id = ${input.organizationId} and id = named.id)`,
);

/** Of these ids, those that are no channel of the organization. */
export async function findUnknownChannels(
  em: EntityManager,
  organizationId: string,
  ids: readonly string[],
): Promise<string[]> {
  return (await run(em, UNKNOWN_CHANNELS, { organizationId, ids })).map(({ id }) => id);
}
