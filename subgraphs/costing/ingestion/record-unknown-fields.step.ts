/** Keeps the names of fields that no one understood, at most once a minute each: it is not part of what a batch promises. */
import type { Database } from '../../../platform/database/open-database.ts';
import type { Log } from '../../../platform/log.ts';
import { recordUnknownFields } from '../events/unknown-field.table.ts';
import type { UsageEventDraft } from '../events/parse-usage-event.ts';
import type { IngestionSource } from './ingestion-source.ts';

const AGAIN_AFTER_MS = 60_000;
const REMEMBERED_MAX = 10_000;
/** Of one batch. */
const NAMES_MAX = 1_000;
const NAME_CHARACTERS_MAX = 64;

/** When each was last written by this process, by database. */
const written = new WeakMap<Database, Map<string, number>>();

/** After the events are stored, in a transaction of its own. A failure is logged, and the batch stands. */
export async function recordUnknownFieldsOf(
  database: Database,
  { organizationId, receivedAt }: IngestionSource,
  drafts: readonly UsageEventDraft[],
  log: Log,
): Promise<void> {
  if (drafts.every(({ unknownFields }) => unknownFields.length === 0)) return;
  const known = written.get(database) ?? new Map<string, number>();
  written.set(database, known);
  if (known.size > REMEMBERED_MAX) known.clear();
  const at = receivedAt.getTime();
  const names = [...new Set(drafts.flatMap(({ unknownFields }) => unknownFields.map(keptName)))]
    .filter((name) => at - (known.get(`${organizationId} ${name}`) ?? 0) >= AGAIN_AFTER_MS)
    .slice(0, NAMES_MAX);
  if (names.length === 0) return;
  for (const name of names) known.set(`${organizationId} ${name}`, at);
  try {
    await database.forOrganization(organizationId, (em) => recordUnknownFields(em, organizationId, names, receivedAt));
  } catch (error) {
    log.warn({ err: error, organizationId }, 'Unknown fields could not be recorded');
  }
}

/** What the database can hold. */
function keptName(name: string): string {
  return [...name.toWellFormed().replaceAll('\0', '?')].slice(0, NAME_CHARACTERS_MAX).join('');
}
