/** Everything that was stated about outcomes, one row per version of a key, append-only. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { byHome, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { STATED_COLUMNS, STATED_VALUES, statedItems, statedProperties } from './outcome.table.ts';

export const OutcomeVersionTable = defineEntity({
  name: 'OutcomeVersion',
  tableName: 'outcome_version',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    livemode: p.boolean().primary(),
    key: p.text().primary(),
    /** Version number, from 1, in order of arrival. */
    version: p.integer().primary(),
    ...statedProperties,
    recordedAt: p.datetime(6),
  },
  indexes: [
    {
      name: 'outcome_version_end_user_index',
      properties: ['organizationId', 'endUser'],
      where: 'end_user is not null',
    },
    {
      name: 'outcome_version_metadata_index',
      properties: ['organizationId', 'recordedAt'],
      where: "metadata <> '{}'",
    },
  ],
});

interface KnownFingerprint {
  readonly key: string;
  readonly fingerprint: string;
}

const KNOWN_FINGERPRINTS = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      livemode: boolean;
      keys: readonly string[];
      fingerprints: readonly string[];
    }>,
  ) => sql<KnownFingerprint>`
    select key, fingerprint from outcome_version
    where organization_id = ${input.organizationId} and livemode = ${input.livemode}
      and key = any(${input.keys}::text[]) and fingerprint = any(${input.fingerprints}::text[])`,
);

/** Versions that were recorded before. */
export function findKnownFingerprints(
  tx: WriteTransaction,
  input: {
    organizationId: OrganizationId;
    livemode: boolean;
    keys: readonly string[];
    fingerprints: readonly string[];
  },
): Promise<KnownFingerprint[]> {
  return tx.all(KNOWN_FINGERPRINTS, input);
}

export const INSERT_VERSIONS = statement<
  object,
  { organizationId: OrganizationId; livemode: boolean; recordedAt: Date; items: string }
>(
  byHome(
    (home) => `
  insert into outcome_version (organization_id, livemode, ${STATED_COLUMNS}, version, recorded_at)
  ${selectAtHome(home, `:livemode::boolean, ${STATED_VALUES}, item.version, :recordedAt::timestamptz`, statedItems('version int'))}`,
  ),
);
