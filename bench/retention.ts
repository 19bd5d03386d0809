/**
 * Disk space when the metadata of old events is removed (`retention set`): before, after, and as small as the tables
 * can become. The yardstick changes the same rows by hand, in one statement.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { graphql } from '#schema/graphql.ts';
import { DIMENSION, type FilledOrganization, openFilledOrganization } from './read/filled-organization.ts';
import { askOperator, settle } from './support/ask-operator.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { median } from './support/statistics.ts';
import { meterWal } from './support/wal-meter.ts';

const MONTHS = 1;
const POLL_MILLISECONDS = 200;
const MEGABYTE = 1024 ** 2;
const READS_BEFORE = 15;
const YARDSTICK = 'usage_event_by_hand';

const SET = graphql(`mutation BenchRetention($input: MetadataRetentionSetInput!) {
  metadataRetentionSet(input: $input) { metadataRetention { months } userErrors { message code } }
}`);

export async function measureRetention({ events: sizes, progress }: BenchOptions): Promise<Report> {
  const events = Math.min(...sizes);
  const organization = await openFilledOrganization({ progress });
  const { service, organizationId, costing, attribution } = organization;
  await organization.growTo(events);
  const before = await sizeOf(organization);
  const readsBefore: number[] = [];
  for (let count = 0; count < READS_BEFORE; count++) readsBefore.push(await timeRead(organization));
  const old = await countOld(costing, organizationId);

  progress(`retention: removing the metadata of ${old.toLocaleString('en')} of ${events.toLocaleString('en')} events`);
  const written = await meterWal(service);
  const started = elapsedMilliseconds();
  await askOperator(service, SET, { input: { months: MONTHS, keepDimensions: [DIMENSION] } }, organizationId);
  const readsMeanwhile: number[] = [];
  while (!(await isThrough(costing, organizationId))) {
    readsMeanwhile.push(await timeRead(organization));
    await pause(POLL_MILLISECONDS);
  }
  await settle(service, 3_600);
  const seconds = (elapsedMilliseconds() - started) / 1_000;
  const wal = await written();
  await organization.verify();

  const after = await sizeOf(organization);
  const byHand = await changeByHand(costing, organizationId);
  progress('retention: rewriting the tables');
  await costing.query('vacuum (full, analyze) usage_event');
  await attribution.query('vacuum (full, analyze) cost_fact');
  const least = await sizeOf(organization);
  await organization.stop();

  const megabytes = (name: string, bytes: number): Figure => ({ name, value: bytes / MEGABYTE, unit: 'MB' });
  return {
    benchmark: 'retention',
    figures: [
      { name: 'events whose metadata is removed', value: old, unit: '' },
      { name: 'time', value: seconds, unit: 's' },
      { name: 'the same by hand, costing only', value: byHand.seconds, unit: 's' },
      { name: 'WAL', value: wal / old, unit: 'bytes per changed event' },
      { name: 'a read before', value: median(readsBefore), unit: 'ms' },
      { name: 'a read during the removal', value: median(readsMeanwhile), unit: 'ms' },
      megabytes('usage_event before', before.events),
      megabytes('usage_event after', after.events),
      megabytes('usage_event after VACUUM FULL', least.events),
      megabytes('usage_event changed by hand', byHand.bytes),
      megabytes('cost_fact before', before.facts),
      megabytes('cost_fact after', after.facts),
      megabytes('cost_fact after VACUUM FULL', least.facts),
      {
        name: 'freed without VACUUM FULL',
        value: before.events + before.facts - after.events - after.facts,
        unit: 'bytes',
      },
    ],
    notes: [
      `${events.toLocaleString('en')} events of the workload history; metadata older than ${MONTHS} month is removed, except ${DIMENSION}.`,
      'Sizes include rows and indexes, after VACUUM. The reads return costs by agent of 90 days, over HTTP.',
    ],
  };
}

interface Sizes {
  readonly events: number;
  readonly facts: number;
}

async function sizeOf({ costing, attribution }: FilledOrganization): Promise<Sizes> {
  await costing.query('vacuum analyze usage_event');
  await attribution.query('vacuum analyze cost_fact');
  return { events: await tableBytes(costing, 'usage_event'), facts: await tableBytes(attribution, 'cost_fact') };
}

async function tableBytes(client: Client, table: string): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    'select pg_total_relation_size($1::regclass)::float8 as bytes',
    [table],
  );
  return rows[0]!.bytes;
}

/** Ids increase with the time of receipt. In the loaded data, it equals the time of the event. */
async function countOld(client: Client, organizationId: string): Promise<number> {
  const { rows } = await client.query<{ old: number }>(
    `select count(*)::float8 as old from usage_event
     where organization_id = $1 and metadata is not null and received_at < now() - make_interval(months => $2)`,
    [organizationId, MONTHS],
  );
  return rows[0]!.old;
}

async function isThrough(client: Client, organizationId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'select 1 from metadata_retention where organization_id = $1 and next_look_at > now()',
    [organizationId],
  );
  return rowCount !== 0;
}

async function timeRead({ service, readKey, end }: FilledOrganization): Promise<number> {
  const days = new URLSearchParams({
    start_date: new Date(end.getTime() - 89 * 86_400_000).toISOString().slice(0, 10),
    end_date: end.toISOString().slice(0, 10),
  });
  const started = elapsedMilliseconds();
  const answer = await fetch(`${service.url}/v1/attribution-data/by-agent?${days.toString()}`, {
    headers: { authorization: `Bearer ${readKey}` },
  });
  await answer.text();
  if (!answer.ok) throw new Error(`The read was answered with ${answer.status}`);
  return elapsedMilliseconds() - started;
}

/** For comparison: clears the same column by hand, in a copy of the table with the same rows and indexes. */
async function changeByHand(client: Client, organizationId: string): Promise<{ seconds: number; bytes: number }> {
  await client.query(`create table ${YARDSTICK} (like usage_event including all)`);
  await client.query(`insert into ${YARDSTICK} select * from usage_event where organization_id = $1`, [organizationId]);
  await client.query(`vacuum analyze ${YARDSTICK}`);
  const started = elapsedMilliseconds();
  await client.query(
    `update ${YARDSTICK} set metadata = json_build_object('${DIMENSION}', metadata -> '${DIMENSION}')
     where organization_id = $1 and received_at < now() - make_interval(months => $2)`,
    [organizationId, MONTHS],
  );
  const seconds = (elapsedMilliseconds() - started) / 1_000;
  await client.query(`vacuum analyze ${YARDSTICK}`);
  const bytes = await tableBytes(client, YARDSTICK);
  await client.query(`drop table ${YARDSTICK}`);
  return { seconds, bytes };
}
