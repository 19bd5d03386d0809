/** Disk usage of an event of each workload: rows and indexes of every growing table, and WAL. */
import type { Client } from 'pg';
import { settle } from './support/ask-operator.ts';
import { startLoadedService } from './support/bench-service.ts';
import { connectDatabase } from './support/database-connection.ts';
import type { BenchOptions } from './support/options.ts';
import type { Figure, Report } from './support/report.ts';
import { untilRolledUp } from './support/rolled-up.ts';
import { sendLoad } from './support/send-load.ts';
import { EVENTS_PER_BATCH } from './support/signed-batches.ts';
import { meterWal } from './support/wal-meter.ts';
import { type Shape, SHAPES } from './workload/customer.ts';
import { usageEvent } from './workload/usage-event.ts';
import { now } from '#platform/clock.ts';

const EVENTS = 300_000;
/** Smaller tables are not reported. */
const MEGABYTE = 1024 ** 2;
const HISTORY_OF_LIVE = 1.5;

interface TableSize {
  readonly name: string;
  readonly rows: number;
  readonly indexes: number;
}

export async function measureSize({ connections, progress }: BenchOptions): Promise<Report> {
  const bytes = new Map<Shape, number>();
  const figures: Figure[] = [
    { name: 'an event as sent', value: JSON.stringify(usageEvent(1, 'size', now())).length, unit: 'bytes' },
  ];
  for (const shape of SHAPES) {
    const { service, next, stop } = await startLoadedService(connections, shape);
    const databases = [
      await connectDatabase(service.dataDirectory, 'costing'),
      await connectDatabase(service.dataDirectory, 'attribution'),
    ];
    const written = await meterWal(service);
    const requests = EVENTS / EVENTS_PER_BATCH;
    await sendLoad({ url: service.url, next, connections, seconds: Infinity, requests });
    await settle(service);
    await untilRolledUp(service);
    figures.push({ name: `${shape}: WAL`, value: (await written()) / EVENTS, unit: 'bytes per event' });
    let total = 0;
    for (const { client } of databases)
      for (const { name, rows, indexes } of await tableSizes(client)) {
        total += rows + indexes;
        figures.push(
          { name: `${shape}, ${name}: rows`, value: rows / EVENTS, unit: 'bytes per event' },
          { name: `${shape}, ${name}: indexes`, value: indexes / EVENTS, unit: 'bytes per event' },
        );
      }
    bytes.set(shape, total / EVENTS);
    figures.push({ name: `${shape}: together`, value: total / EVENTS, unit: 'bytes per event' });
    progress(`size, ${shape}: ${Math.round(total / EVENTS)} bytes per event`);
    for (const { close } of databases) await close();
    await stop();
  }
  figures.push({
    name: 'history, relative to live',
    value: bytes.get('history')! / bytes.get('live')!,
    unit: '',
    atMost: HISTORY_OF_LIVE,
  });
  return {
    benchmark: 'size',
    figures,
    notes: [`${EVENTS} events of each workload, after VACUUM; tables of more than a megabyte.`],
  };
}

async function tableSizes(client: Client): Promise<TableSize[]> {
  await client.query('vacuum analyze');
  const { rows } = await client.query<TableSize>(
    `select relname as name, pg_table_size(oid)::float8 as rows, pg_indexes_size(oid)::float8 as indexes from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'rate_%' and pg_total_relation_size(oid) > $1
     order by pg_total_relation_size(oid) desc`,
    [MEGABYTE],
  );
  return rows;
}
