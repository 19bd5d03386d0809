/**
 * Outcomes as last stated, one row per key: the newest of its versions (`outcome-version.table.ts`). Their costs are
 * not stored. Every read computes them from the facts, so late events, corrections and repricings need no update.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { columnList, columnsOf } from '#platform/database/columns.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { byHome, selectAtHome } from '#platform/database/nodes/organization-home.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';

/** What the caller stated. */
export const statedProperties = {
  name: p.text(),
  succeeded: p.boolean(),
  at: p.datetime(6),
  /** External id. */
  endUser: p.text().nullable(),
  agent: p.text().nullable(),
  session: p.text().nullable(),
  task: p.text().nullable(),
  value: p.decimal().precision(30).scale(15).nullable(),
  /** ISO 4217; null without a value. */
  currency: p.text().nullable(),
  metadata: p.json<Readonly<Record<string, string>>>(),
  /** Time of the statement: of two versions of a key, the later one counts. */
  statedAt: p.datetime(6),
  /** Digest of the content as sent. It identifies a resend, and decides between versions stated at the same time. */
  fingerprint: p.text(),
};

export const OutcomeTable = defineEntity({
  name: 'Outcome',
  tableName: 'outcome',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    livemode: p.boolean().primary(),
    key: p.text().primary(),
    ...statedProperties,
    /** Number of its versions. */
    versions: p.integer(),
    /** Number of its events in `outcome_event`. */
    keptEvents: p.integer(),
  },
  indexes: [
    { name: 'outcome_time_index', properties: ['organizationId', 'at'], where: 'livemode' },
    {
      name: 'outcome_task_index',
      properties: ['organizationId', 'task', 'at', 'key'],
      where: 'livemode and task is not null',
    },
    {
      name: 'outcome_session_index',
      properties: ['organizationId', 'session', 'at', 'key'],
      where: 'livemode and task is null and session is not null',
    },
    { name: 'outcome_end_user_index', properties: ['organizationId', 'endUser'], where: 'end_user is not null' },
  ],
});

/** An outcome of valid form. Instants are ISO 8601 UTC with up to six fraction digits. */
export interface StatedOutcome {
  readonly key: string;
  readonly name: string;
  readonly succeeded: boolean;
  readonly at: string;
  readonly endUser: string | null;
  readonly agent: string | null;
  readonly session: string | null;
  readonly task: string | null;
  readonly value: string | null;
  readonly currency: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly statedAt: string;
  readonly fingerprint: string;
}

const KEYED = columnsOf(OutcomeTable).filter(
  ({ property }) => !['organizationId', 'livemode', 'versions', 'keptEvents'].includes(property),
);
/** Columns of a version, without the organization and the mode. */
export const STATED_COLUMNS = columnList(KEYED);
/** Record type of `json_to_recordset` for these columns. */
const STATED_RECORD = KEYED.map(({ property, type }) => `"${property}" ${type}`).join(', ');
/** The columns of such a record, in the order of `STATED_COLUMNS`. */
export const STATED_VALUES = KEYED.map(({ property }) => `item."${property}"`).join(', ');
/** SQL for an organization's stated records, `item`, with one more column. */
export const statedItems = (column: string) =>
  `(select :organizationId::uuid as organization_id, given.* from json_to_recordset(:items::json) as given (${STATED_RECORD}, ${column})) as item`;
/** Columns that another version replaces. */
const REPLACED_COLUMNS = KEYED.filter(({ property }) => property !== 'key').map(({ name }) => name);

export interface LastStatement {
  readonly key: string;
  readonly statedAt: string;
  readonly fingerprint: string;
  readonly versions: number;
}

const LAST_STATEMENTS = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; livemode: boolean; keys: readonly string[] }>,
  ) => sql<LastStatement>`
    select key, ${sql.raw(isoMicros('stated_at'))} as stated_at, fingerprint, versions from outcome
    where organization_id = ${input.organizationId} and livemode = ${input.livemode} and key = any(${input.keys}::text[])`,
);

/** The version in effect of each key; unknown keys are left out. */
export function findLastStatements(
  tx: WriteTransaction,
  input: { organizationId: OrganizationId; livemode: boolean; keys: readonly string[] },
): Promise<LastStatement[]> {
  return tx.all(LAST_STATEMENTS, input);
}

/** Replaces the current version of each key, and its number of versions. Each key is given once. */
export const SAVE_OUTCOMES = statement<object, { organizationId: OrganizationId; livemode: boolean; items: string }>(
  byHome(
    (home) => `
  insert into outcome (organization_id, livemode, ${STATED_COLUMNS}, versions, kept_events)
  ${selectAtHome(home, `:livemode::boolean, ${STATED_VALUES}, item.versions, 0`, statedItems('versions int'))}
  on conflict (organization_id, livemode, key) do update
  set ${REPLACED_COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ')}, versions = excluded.versions`,
  ),
);

export const SAVE_VERSION_COUNTS = statement<
  object,
  { organizationId: OrganizationId; livemode: boolean; items: string }
>(`
  update outcome set versions = item.versions
  from json_to_recordset(:items::json) as item (key text, versions int)
  where outcome.organization_id = :organizationId and outcome.livemode = :livemode and outcome.key = item.key`);

const HAS_OUTCOMES = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<object>`select 1 from outcome where organization_id = ${organizationId} and livemode limit 1`,
);

/** False for an organization that does not use outcomes; then no other data about outcomes is read. */
export async function hasOutcomes(tx: Transaction, organizationId: OrganizationId): Promise<boolean> {
  return (await tx.first(HAS_OUTCOMES, { organizationId })) !== null;
}
