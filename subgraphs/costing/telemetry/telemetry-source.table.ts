/** Sources of usage at the telemetry endpoints: counts by library, version and outcome. */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { arrayLiteral } from '#platform/database/array-literal.ts';
import { ensureHome, fromHome } from '#platform/database/nodes/organization-home.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

export const TelemetrySourceTable = defineEntity({
  name: 'TelemetrySource',
  tableName: 'telemetry_source',
  ...tenantTable('costing'),
  properties: {
    organizationId: p.uuid().primary(),
    livemode: p.boolean().primary(),
    /** `otlp-traces`, `otlp-logs`, `provider-responses`, `litellm`. */
    door: p.text().$type<TelemetryEndpoint>().primary(),
    /** The instrumentation scope, or the provider. */
    name: p.text().primary(),
    version: p.text().primary(),
    /** `billed`, `duplicate`, or `ignored` and `rejected` followed by a colon and the reason. */
    outcome: p.text().primary(),
    count: p.bigint(),
    firstSeenAt: p.datetime(3),
    lastSeenAt: p.datetime(3),
  },
});

const db = tables<typeof TelemetrySourceTable>();

/** Maximum number of rows per organization, to limit senders of random names. */
const ROWS_MAX = 2_000;

/** Endpoints that receive usage in other forms than usage events. */
export type TelemetryEndpoint = 'otlp-traces' | 'otlp-logs' | 'provider-responses' | 'litellm';

export interface SourceCount {
  readonly door: TelemetryEndpoint;
  readonly name: string;
  readonly version: string;
  readonly outcome: string;
  readonly count: number;
}

interface RecordSources {
  readonly organizationId: OrganizationId;
  readonly livemode: boolean;
  readonly at: Date;
  readonly doors: string;
  readonly names: string;
  readonly versions: string;
  readonly outcomes: string;
  readonly counts: string;
}

const COUNT_SOURCES = statement(
  ({ organizationId }: Parameters<{ organizationId: OrganizationId }>) =>
    sql<{ rows: number }>`select count(*)::int as rows from telemetry_source where organization_id = ${organizationId}`,
);

const record = (isAtHome: boolean) => (input: Parameters<RecordSources>) => {
  const { id, join, isIts } = fromHome(isAtHome, input.organizationId);
  return sql<object>`
    insert into telemetry_source (organization_id, livemode, door, name, version, outcome, count, first_seen_at, last_seen_at)
    select ${id}, ${input.livemode}, door, name, version, outcome, count, ${input.at}, ${input.at}
    from unnest(${input.doors}::text[], ${input.names}::text[], ${input.versions}::text[], ${input.outcomes}::text[],
      ${input.counts}::bigint[]) as item (door, name, version, outcome, count) ${join} where ${isIts}
    order by door, name, version, outcome
    on conflict (organization_id, livemode, door, name, version, outcome) do update
      set count = telemetry_source.count + excluded.count,
        last_seen_at = greatest(telemetry_source.last_seen_at, excluded.last_seen_at)`;
};
const RECORD_SOURCES = statement({ onOneNode: record(false), onSeveralNodes: record(true) });

/**
 * `counts` are for distinct sources and outcomes. They are written in a fixed order, since requests with different
 * orders would deadlock.
 */
export async function recordSources(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  livemode: boolean,
  counts: readonly SourceCount[],
  at: Date,
): Promise<void> {
  if (counts.length === 0) return;
  await ensureHome(tx, organizationId);
  const [{ rows } = { rows: 0 }] = await tx.all(COUNT_SOURCES, { organizationId });
  const kept = rows < ROWS_MAX ? counts : await knownOf(tx, organizationId, livemode, counts);
  await tx.run(RECORD_SOURCES, {
    organizationId,
    livemode,
    at,
    doors: arrayLiteral(kept.map(({ door }) => door)),
    names: arrayLiteral(kept.map(({ name }) => name)),
    versions: arrayLiteral(kept.map(({ version }) => version)),
    outcomes: arrayLiteral(kept.map(({ outcome }) => outcome)),
    counts: arrayLiteral(kept.map(({ count }) => count)),
  });
}

async function knownOf(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  livemode: boolean,
  counts: readonly SourceCount[],
): Promise<SourceCount[]> {
  const keyOf = ({ door, name, version, outcome }: SourceCount) => JSON.stringify([door, name, version, outcome]);
  const known = new Set((await listSourceRows(tx, organizationId, livemode)).map(keyOf));
  return counts.filter((each) => known.has(keyOf(each)));
}

const LIST_SOURCES = statement((input: Parameters<{ organizationId: OrganizationId; livemode: boolean }>) =>
  db
    .selectFrom('telemetrySource')
    .select(['door', 'name', 'version', 'outcome', 'firstSeenAt', 'lastSeenAt'])
    .select(sql<number>`count::float8`.as('count'))
    .where('organizationId', '=', input.organizationId)
    .where('livemode', '=', input.livemode)
    .orderBy('door')
    .orderBy('name')
    .orderBy('version')
    .orderBy('outcome'),
);

export interface SourceRow extends SourceCount {
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
}

export async function listSourceRows(
  tx: Transaction,
  organizationId: OrganizationId,
  livemode: boolean,
): Promise<SourceRow[]> {
  return tx.all(LIST_SOURCES, { organizationId, livemode });
}
