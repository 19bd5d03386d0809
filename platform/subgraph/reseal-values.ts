/** Encrypted values by key, and re-encrypting them with the current key, shared by all subgraphs. */
import { fail } from '#kernel/errors.ts';
import { actorOf, insertAuditRecord, NO_ORGANIZATION } from './audit-record.ts';
import { now } from '../clock.ts';
import { countSealed, FIRST_ROW, resealSome, type SealedColumn } from '../database/sealed-column.ts';
import type { Sealing } from '../seal.ts';
import type { SubgraphContext } from './context.ts';

export interface SealedValues {
  readonly kind: string;
  /** `null` for values from before key ids. */
  readonly keyId: string | null;
  readonly count: number;
  readonly isCurrent: boolean;
  readonly isReadable: boolean;
}

/** Counts encrypted values by kind and key. */
export async function listSealedValues(
  { database }: SubgraphContext,
  sealing: Sealing,
  columns: readonly SealedColumn[],
): Promise<SealedValues[]> {
  return database.system(async (tx) => {
    const values: SealedValues[] = [];
    for (const column of columns) {
      const groups = await countSealed(tx, sealing, column);
      values.push(
        ...groups.map((group) => ({ kind: column.many, ...group, isCurrent: group.keyId === sealing.ring.current.id })),
      );
    }
    return values;
  });
}

export interface ResealStep {
  readonly kind: string;
  readonly resealed: number;
  /** Number of values that no known key decrypts; they are kept unchanged. */
  readonly unreadable: number;
  /** Discarded on request. */
  readonly discarded: number;
  /** Cursor for the next step; `null` after the last one. */
  readonly after: string | null;
}

export interface ResealPage {
  readonly after?: string | null | undefined;
  readonly limit: number;
  /** True to discard values that no key decrypts. */
  readonly discardUnreadable: boolean;
}

const LIMIT_MAX = 1_000;
const CURSOR = /^(\d{1,3}):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/**
 * One bounded step in its own transaction, with an audit record. Steps may be repeated, interrupted and run
 * concurrently: values with the current key are skipped. Fails with `VALIDATION_ERROR` for an invalid cursor or limit.
 */
export async function resealValues(
  { database, principal }: SubgraphContext,
  sealing: Sealing,
  columns: readonly SealedColumn[],
  { after, limit, discardUnreadable }: ResealPage,
): Promise<ResealStep> {
  if (limit < 1 || limit > LIMIT_MAX) fail('VALIDATION_ERROR', `limit must be 1 to ${LIMIT_MAX}`);
  const [, place = '', row = ''] = CURSOR.exec(after ?? `0:${FIRST_ROW}`) ?? [];
  const column = columns[Number(place)];
  if (place === '' || !column) return fail('VALIDATION_ERROR', 'after must be the value returned by the previous step');
  return database.system(async (tx) => {
    const { resealed, unreadable, after: last } = await resealSome(tx, sealing, column, row, limit);
    const record = (action: 'secrets.discarded' | 'secrets.resealed', detail: string) =>
      insertAuditRecord(tx, { organizationId: NO_ORGANIZATION, at: now(), action, ...actorOf(principal), detail });
    if (resealed > 0)
      await record('secrets.resealed', `${resealed} ${column.many}, now under key ${sealing.ring.current.id}`);
    const discarded = discardUnreadable ? unreadable.length : 0;
    if (discarded > 0) {
      await column.discard(tx, unreadable, actorOf(principal));
      await record('secrets.discarded', `${discarded} ${column.many} that no key could decrypt`);
    }
    const isLast = Number(place) + 1 >= columns.length;
    const next = last !== null ? `${place}:${last}` : isLast ? null : `${Number(place) + 1}:${FIRST_ROW}`;
    return { kind: column.many, resealed, unreadable: unreadable.length - discarded, discarded, after: next };
  });
}
