/**
 * Incidents near the end of the 90 days, which alerts should report: retried calls, a customer that costs more than it
 * pays, and a source that stops sending.
 */
import { HOUR_MS } from '#kernel/time/duration.ts';
import { type EndUser, endUsers } from './end-users.ts';
import { type Feature, features } from './features.ts';

/** An interaction at a fixed time, besides the randomly timed ones. */
export interface Incident {
  readonly name: string;
  readonly feature: Feature;
  readonly endUser: EndUser | null;
  /** Milliseconds after midnight, UTC. */
  readonly after: number;
}

/** The day before the organization was created. */
const LAST_WHOLE_DAY = 88;
/** An agent that keeps retrying after an error. */
const RETRIES = { feature: 'code-review', endUser: 'meridian-bank', fromHour: 13, hours: 2, calls: 1_200 };
/** Still pays $2,200 a month, but has begun to create many reports. */
const GROWN = { feature: 'research', endUser: 'fjord-shipping', fromDay: 74, sessions: 12 };
/** A job that runs every hour at seven minutes past, for the last time at `lastHour`. */
const SYNC = { minute: 7, lastHour: 17 };

const INVENTORY_SYNC: Feature = {
  name: 'inventory-sync',
  team: 'operations',
  agentId: 'inventory-agent',
  workflowId: 'inventory-sync',
  weight: 0,
  hasEndUser: false,
  shape: 'call',
  calls: [{ provider: 'openai', model: 'gpt-4.1-nano', weight: 1, inputTokens: 1_800, outputTokens: 120 }],
};

/** `day`: days since the first of the 90. `share`: relative activity of the day, 1 on working days. */
export function incidentsOfDay(day: number, share: number): Incident[] {
  return [...syncs(day), ...(day === LAST_WHOLE_DAY ? retries() : []), ...reports(day, share)];
}

function syncs(day: number): Incident[] {
  const hours = day < LAST_WHOLE_DAY ? 24 : day === LAST_WHOLE_DAY ? SYNC.lastHour + 1 : 0;
  return Array.from({ length: hours }, (_, hour) => ({
    name: 'sync',
    feature: INVENTORY_SYNC,
    endUser: null,
    after: hour * HOUR_MS + SYNC.minute * 60_000,
  }));
}

function retries(): Incident[] {
  const step = (RETRIES.hours * HOUR_MS) / RETRIES.calls;
  return Array.from({ length: RETRIES.calls }, (_, index) => ({
    name: 'retry',
    feature: featureOf(RETRIES.feature),
    endUser: endUserOf(RETRIES.endUser),
    after: RETRIES.fromHour * HOUR_MS + Math.floor(index * step),
  }));
}

function reports(day: number, share: number): Incident[] {
  const sessions = day < GROWN.fromDay ? 0 : Math.round(GROWN.sessions * share);
  return Array.from({ length: sessions }, (_, index) => ({
    name: 'report',
    feature: featureOf(GROWN.feature),
    endUser: endUserOf(GROWN.endUser),
    after: Math.floor((8 + (10 * index) / sessions) * HOUR_MS),
  }));
}

function featureOf(name: string): Feature {
  return features.find((feature) => feature.name === name)!;
}

function endUserOf(id: string): EndUser {
  return endUsers.find((endUser) => endUser.id === id)!;
}
