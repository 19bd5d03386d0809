/** Hears `NOTIFY` on one connection of its own, and comes back after the server was away. */
import pg from 'pg';
import type { Log } from '../log.ts';
import type { ConnectionTarget } from './connection-target.ts';

export interface Listener {
  close(): Promise<void>;
}

const RECONNECT_MILLISECONDS = 500;

/** Calls `heard` for every notification on `channels`, and once for each channel after a reconnection. */
export async function listen(target: ConnectionTarget, channels: readonly string[], heard: (channel: string) => void, log: Log): Promise<Listener> {
  let closed = false;
  let client: pg.Client | null = null;
  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      host: target.host, port: target.port, user: target.user, password: target.password, database: target.dbName, ...target.driverOptions,
    });
    next.on('notification', ({ channel }) => heard(channel));
    next.on('error', (error) => { if (!closed) log.warn({ err: error }, 'Notifications are interrupted'); });
    next.on('end', () => { if (!closed) setTimeout(() => void connect().catch(() => next.emit('end')), RECONNECT_MILLISECONDS); });
    await next.connect();
    for (const channel of channels) await next.query(`listen ${next.escapeIdentifier(channel)}`);
    client = next;
    channels.forEach(heard);
  };
  if (channels.length > 0) await connect();
  return {
    async close() {
      closed = true;
      await client?.end();
    },
  };
}
