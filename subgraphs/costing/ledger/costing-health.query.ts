/** What of an organization's events was not understood: those that wait, by what they wait for, and those whose cost is a guess. */
import { sql } from 'kysely';
import type { Transaction } from '../../../platform/database/sql.ts';
import { type Parameters, run, statement } from '../../../platform/database/statement.ts';

/** Kinds of events in one state, the most frequent first; more are left out. */
const GROUPS_MAX = 100;

export interface UnpricedGroup {
  readonly status: 'pending_rate_card' | 'failed';
  /** As sent. */
  readonly provider: string | null;
  readonly model: string;
  readonly reason: string;
  readonly events: number;
  /** Of the events' own times. */
  readonly firstAt: string;
  readonly lastAt: string;
  readonly exampleEventId: string;
}

const GROUP_UNPRICED_EVENTS = statement(
  ({ organizationId }: Parameters<{ organizationId: string }>) => sql<UnpricedGroup>`
    select status, provider, model, reason, count(*)::float8 as events, min(event_time)::text as first_at,
      max(event_time)::text as last_at, max(event_id::text) as example_event_id
    from unpriced_event where organization_id = ${organizationId} and livemode
    group by status, provider, model, reason order by count(*) desc, model, provider, reason limit ${sql.lit(GROUPS_MAX)}`,
);

/** Live events without a cost. */
export function groupUnpricedEvents(tx: Transaction, organizationId: string): Promise<UnpricedGroup[]> {
  return run(tx, GROUP_UNPRICED_EVENTS, { organizationId });
}

export interface GuessedGroup {
  /** Slugs, as the ledger has them. */
  readonly provider: string;
  readonly model: string;
  readonly events: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly exampleEventId: string;
}

const GROUP_GUESSED_ENTRIES = statement(
  ({ organizationId, since }: Parameters<{ organizationId: string; since: Date }>) => sql<GuessedGroup>`
    select provider_slug as provider, model_slug as model, count(*)::float8 as events, min(event_time)::text as first_at,
      max(event_time)::text as last_at, max(event_id::text) as example_event_id
    from cost_entry
    where organization_id = ${organizationId} and reading = 'guessed' and sequence = 0 and livemode and event_time >= ${since}
    group by 1, 2 order by count(*) desc, 2, 1 limit ${sql.lit(GROUPS_MAX)}`,
);

/** Live events whose first cost rests on a guess, from an instant on. */
export function groupGuessedEntries(tx: Transaction, organizationId: string, since: Date): Promise<GuessedGroup[]> {
  return run(tx, GROUP_GUESSED_ENTRIES, { organizationId, since });
}
