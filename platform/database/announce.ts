/**
 * Announces work to jobs once it is committed. `NOTIFY` within a transaction holds a lock over the whole server until its commit is
 * flushed, so that no two of them are flushed together: one-row commits at 16 connections were 1,548 a second without, 592 with.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { LookUps } from './look-up.ts';
import { type Parameters, statement } from './statement.ts';

const NOTIFY = statement(
  ({ channel }: Parameters<{ channel: string }>) => sql<object>`select pg_notify(${channel}, '')`,
);

/** What comes meanwhile is announced once. */
const REST_MILLISECONDS = 5;

const channelsOf = new WeakMap<EntityManager, Set<string>>();

/** Wakes the jobs that listen on the channel when the transaction has committed. One that is lost costs them their rest alone. */
export function announceAfterCommit(em: EntityManager, channel: string): void {
  const channels = channelsOf.get(em);
  if (!channels) throw new Error('Only a transaction of a database announces something');
  channels.add(channel);
}

/** What the transaction of `em` announces is kept in the result. */
export function collectAnnouncements(em: EntityManager): ReadonlySet<string> {
  const channels = new Set<string>();
  channelsOf.set(em, channels);
  return channels;
}

export function announcerWith(lookUps: LookUps): (channel: string) => void {
  const resting = new Map<string, { again: boolean }>();
  const announce = (channel: string): void => {
    const rest = { again: false };
    resting.set(channel, rest);
    void lookUps
      .find(NOTIFY, { channel })
      .catch(() => null)
      .then(() => pause(REST_MILLISECONDS, undefined, { ref: false }))
      .then(() => (rest.again ? announce(channel) : resting.delete(channel)));
  };
  return (channel) => {
    const rest = resting.get(channel);
    if (rest) rest.again = true;
    else announce(channel);
  };
}
