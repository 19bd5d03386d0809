/** Disk usage of an event: rows and indexes of every growing table, compared with the event as sent. */
import type { Client } from 'pg';
import { openFilledOrganization } from './read/filled-organization.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { usageEvent } from './workload/usage-event.ts';

const DAYS = 100;
const END_USERS = 2_000;
/** Smaller tables are not reported. */
const MEGABYTE = 1024 ** 2;

interface TableSize {
  readonly name: string;
  readonly rows: number;
  readonly indexes: number;
}

export async function measureSize({ events: sizes, progress }: BenchOptions): Promise<Report> {
  const organization = await openFilledOrganization({ days: DAYS, endUsers: END_USERS, progress });
  const figures: Figure[] = [
    {
      name: 'an event as it is sent',
      value: JSON.stringify(usageEvent(1, 'size', organization.end)).length,
      unit: 'bytes',
    },
  ];
  for (const events of [...sizes].sort((one, other) => one - other)) {
    await organization.growTo(events);
    await organization.addUpDays();
    const named = (what: string) => `${what}, ${events.toLocaleString('en')} events`;
    let total = 0;
    for (const client of [organization.costing, organization.attribution])
      for (const { name, rows, indexes } of await tableSizes(client)) {
        total += rows + indexes;
        figures.push(
          { name: named(`${name}: rows`), value: rows / events, unit: 'bytes an event' },
          { name: named(`${name}: indexes`), value: indexes / events, unit: 'bytes an event' },
        );
      }
    figures.push({ name: named('together'), value: total / events, unit: 'bytes an event' });
  }
  await organization.stop();
  return {
    benchmark: 'size',
    figures,
    notes: [
      `${DAYS} days, ${END_USERS} end users, five models, two dimensions and a pair that are rolled up; tables of more than a megabyte.`,
    ],
  };
}

async function tableSizes(client: Client): Promise<TableSize[]> {
  await client.query('vacuum analyze');
  const { rows } = await client.query<TableSize>(
    `select relname as name, pg_table_size(oid)::float8 as rows, pg_indexes_size(oid)::float8 as indexes from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and pg_total_relation_size(oid) > $1 order by pg_total_relation_size(oid) desc`,
    [MEGABYTE],
  );
  return rows;
}
