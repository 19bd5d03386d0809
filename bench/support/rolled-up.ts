/** Waits until the service has rolled up all pending days and has summed the days of large end users. */
import { setTimeout as pause } from 'node:timers/promises';
import { connectDatabase } from './database-connection.ts';
import type { Service } from './start-service.ts';

const POLL_MILLISECONDS = 250;
const UNFINISHED = `
  select 1 from pending_day union all select 1 from large_end_user where summed_from > '-infinity' limit 1`;

export async function untilRolledUp({ dataDirectory }: Pick<Service, 'dataDirectory'>): Promise<void> {
  const { client, close } = await connectDatabase(dataDirectory, 'attribution');
  while ((await client.query(UNFINISHED)).rowCount !== 0) await pause(POLL_MILLISECONDS);
  await close();
}
