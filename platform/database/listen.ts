/** Listens for `NOTIFY` on its own connection and reconnects after an outage. */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../log.ts';
import { unavailability } from '../unavailability.ts';
import { jitter, reconnectTurn } from './connections/circuit-breaker.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { serverOf } from './connections/database-server.ts';
import { clientConfig, GuardedClient } from './connections/guarded-client.ts';

export interface Listener {
  close(): Promise<void>;
}

/** A periodic statement detects a dead connection: nothing else is sent on it. */
const HEARTBEAT_MILLISECONDS = 10_000;
const REST_MILLISECONDS = { first: 250, longest: 4000 };

/**
 * Calls `heard` for every notification on `channels`, and once per channel when it starts listening or has
 * reconnected. Resolves when it listens, or at once if the server is unavailable. Throws if the server refuses for
 * another reason.
 */
export async function listen(
  target: ConnectionTarget,
  channels: readonly string[],
  heard: (channel: string) => void,
  log: Log,
): Promise<Listener> {
  if (channels.length === 0) return { close: async () => {} };
  const closing = new AbortController();
  const closed = new Promise<void>((resolve) =>
    closing.signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  const begun = Promise.withResolvers<null>();
  let hasBegun = false;
  const begin = () => {
    hasBegun = true;
    begun.resolve(null);
  };
  const running = keepListening();
  await begun.promise;
  return {
    async close() {
      closing.abort();
      await running;
    },
  };

  /** Reconnects until closed. */
  async function keepListening(): Promise<void> {
    for (let failures = 0; !closing.signal.aborted; failures += 1) {
      if (failures > 0) await unlessClosed(rest(failures));
      try {
        await listenOnce(() => {
          failures = 0;
          begin();
        });
      } catch (error) {
        const isOutage = unavailability(error) !== null;
        if (!hasBegun && !isOutage) return begun.reject(error);
        begin();
        if (!closing.signal.aborted) log[isOutage ? 'debug' : 'warn']({ err: error }, 'Notifications are interrupted');
      }
    }
  }

  async function rest(failures: number): Promise<void> {
    await pause(jitter(Math.min(REST_MILLISECONDS.first * 2 ** (failures - 1), REST_MILLISECONDS.longest)), undefined, {
      ref: false,
    });
    await serverOf(target).breaker.whenAvailable();
    await reconnectTurn();
  }

  /** Resolves when the connection has ended. */
  async function listenOnce(onListening: () => void): Promise<void> {
    if (closing.signal.aborted) return;
    const client = new GuardedClient(clientConfig(target));
    client.on('notification', ({ channel }) => heard(channel));
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    let heartbeat: NodeJS.Timeout | undefined;
    try {
      await unlessClosed(startListening(client));
      if (closing.signal.aborted) return;
      onListening();
      channels.forEach(heard);
      heartbeat = setInterval(() => void beat(client), HEARTBEAT_MILLISECONDS).unref();
      await unlessClosed(ended);
    } finally {
      clearInterval(heartbeat);
      client.destroy(new Error('The listener is closed'));
    }
  }

  async function startListening(client: pg.Client): Promise<void> {
    await client.connect();
    for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
  }

  /** A failure ends the connection, which triggers a reconnect. */
  async function beat(client: pg.Client & Pick<GuardedClient, 'isBusy'>): Promise<void> {
    if (!client.isBusy) await client.query('select 1').catch(() => {});
  }

  async function unlessClosed(settled: Promise<unknown>): Promise<void> {
    await Promise.race([settled, closed]);
  }
}
