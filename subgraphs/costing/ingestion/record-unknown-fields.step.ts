/** Records the names of unknown fields, at most once a second each. This is not part of the guarantees of a batch. */
import type { Database } from '#platform/database/open-database.ts';
import type { Log } from '#platform/log.ts';
import { logFailure } from '#platform/outage-log.ts';
import { recordUnknownFields, type SeenField } from '../events/unknown-field.table.ts';
import type { Outcome } from './batch-result.ts';
import type { IngestionSource } from './ingestion-source.ts';

const AGAIN_AFTER_MS = 1_000;
const REMEMBERED_MAX = 10_000;
/** Limit per batch. */
const NAMES_MAX = 1_000;
const NAME_CHARACTERS_MAX = 64;

/** State of each field in this process, by database: the time of the last write, and the events counted since. */
const seen = new WeakMap<Database, Map<string, { writtenAt: number; events: number }>>();

/**
 * Called after the events are stored, in a separate transaction. A failure is logged, and does not affect the batch.
 */
export async function recordUnknownFieldsOf(
  database: Database,
  { organizationId, receivedAt }: IngestionSource,
  outcomes: readonly Outcome[],
  log: Log,
): Promise<void> {
  if (outcomes.every(({ draft }) => draft.unknownFields.length === 0)) return;
  const known = seen.get(database) ?? new Map<string, { writtenAt: number; events: number }>();
  seen.set(database, known);
  if (known.size > REMEMBERED_MAX) known.clear();
  const at = receivedAt.getTime();
  const due = new Map<string, SeenField>();
  for (const { draft, acceptance } of outcomes) {
    if (acceptance.outcome !== 'new') continue;
    for (const name of new Set(draft.unknownFields.slice(0, NAMES_MAX).map(storableName))) {
      const key = `${organizationId} ${name}`;
      const field = known.get(key) ?? { writtenAt: 0, events: 0 };
      known.set(key, field);
      field.events++;
      if (at - field.writtenAt < AGAIN_AFTER_MS || (!due.has(name) && due.size >= NAMES_MAX)) continue;
      due.set(name, { name, events: field.events, exampleEventId: acceptance.eventId });
    }
  }
  if (due.size === 0) return;
  for (const name of due.keys()) known.set(`${organizationId} ${name}`, { writtenAt: at, events: 0 });
  try {
    await database.write(organizationId, (tx) =>
      recordUnknownFields(tx, organizationId, [...due.values()], receivedAt),
    );
  } catch (error) {
    logFailure(log, 'Unknown fields could not be recorded', error);
  }
}

/** Replaces characters that the database cannot store, and truncates. */
function storableName(name: string): string {
  return [...name.toWellFormed().replaceAll('\0', '?')].slice(0, NAME_CHARACTERS_MAX).join('');
}
