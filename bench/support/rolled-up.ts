/** Waits until the service has rolled up all pending days, which it does when an import has paused. */
import { setTimeout as pause } from 'node:timers/promises';
import { connectDatabase } from './database-connection.ts';
import type { Service } from './start-service.ts';

const POLL_MILLISECONDS = 250;

export async function untilRolledUp({ dataDirectory }: Pick<Service, 'dataDirectory'>): Promise<void> {
  const { client, close } = await connectDatabase(dataDirectory, 'attribution');
  while ((await client.query('select 1 from pending_day limit 1')).rowCount !== 0) await pause(POLL_MILLISECONDS);
  await close();
}
