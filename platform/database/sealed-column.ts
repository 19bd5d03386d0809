/** Columns with encrypted values: checks whether they can be decrypted, and re-encrypts them with the current key. */
import type { Actor } from '../subgraph/audit-record.ts';
import { KEY_ID_LENGTH, SEAL_MARK, type Sealing } from '../seal.ts';
import type { WriteTransaction } from './transaction.ts';
import { query } from './sql.ts';

/** A column with encrypted values. Names come from code, never from a request. */
export interface SealedColumn {
  /** Display name of one value, and of several. */
  readonly one: string;
  readonly many: string;
  readonly table: string;
  readonly column: string;
  readonly purpose: string;
  /** The UUID column that each value is bound to; it also identifies the row. */
  readonly boundTo: string;
  /** Discards values that can no longer be decrypted, with what depends on them, and records it in the audit log. */
  readonly discard: (tx: WriteTransaction, ids: readonly string[], by: Actor) => Promise<void>;
}

export interface SealedGroup {
  /** `null` for values from before key ids. */
  readonly keyId: string | null;
  readonly count: number;
  readonly isReadable: boolean;
}

/** Page size for values from before key ids. */
const PAGE_SIZE = 1_000;

/**
 * Counts values by key. A key id identifies the key, so values with one are only counted. Older values are decrypted
 * one by one, until they are re-encrypted.
 */
export async function countSealed(
  tx: WriteTransaction,
  sealing: Sealing,
  column: SealedColumn,
): Promise<SealedGroup[]> {
  const rows = await query<{ keyId: string | null; count: number }>(
    tx,
    `
    select ${keyIdSql(column)} as key_id, count(*)::int as count
      from ${column.table} where ${column.column} is not null group by 1 order by 1`,
  );
  const groups: SealedGroup[] = [];
  for (const { keyId, count } of rows) {
    if (keyId === null) groups.push(...(await countWithoutId(tx, sealing, column)));
    else groups.push({ keyId, count, isReadable: sealing.ring.find(keyId) !== null });
  }
  return groups;
}

async function countWithoutId(tx: WriteTransaction, sealing: Sealing, column: SealedColumn): Promise<SealedGroup[]> {
  const counts = { readable: 0, unreadable: 0 };
  for (let after = FIRST_ROW; ;) {
    const page = await query<SealedRow>(
      tx,
      `
      select ${column.boundTo} as id, ${column.column} as sealed from ${column.table}
       where ${column.column} is not null and ${column.boundTo} > $1 and ${keyIdSql(column)} is null
       order by ${column.boundTo} limit ${PAGE_SIZE}`,
      [after],
    );
    for (const { id, sealed } of page)
      counts[sealing.tryUnseal(sealed, column.purpose, id) === null ? 'unreadable' : 'readable'] += 1;
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) break;
    after = last.id;
  }
  return [
    ...(counts.readable > 0 ? [{ keyId: null, count: counts.readable, isReadable: true }] : []),
    ...(counts.unreadable > 0 ? [{ keyId: null, count: counts.unreadable, isReadable: false }] : []),
  ];
}

export interface Resealed {
  readonly resealed: number;
  /** Rows whose values no key decrypts; they are kept. */
  readonly unreadable: readonly string[];
  /** The last row processed; `null` after the last page. */
  readonly after: string | null;
}

/** Re-encrypts up to `limit` values after the row `after` that were encrypted with another key. Safe to repeat. */
export async function resealSome(
  tx: WriteTransaction,
  sealing: Sealing,
  column: SealedColumn,
  after: string,
  limit: number,
): Promise<Resealed> {
  const rows = await query<SealedRow>(
    tx,
    `
    select ${column.boundTo} as id, ${column.column} as sealed from ${column.table}
     where ${column.column} is not null and ${column.boundTo} > $1
       and substring(${column.column} from 1 for ${sealing.currentHeader.length}) <> $2
     order by ${column.boundTo} limit $3 for update`,
    [after, sealing.currentHeader, limit],
  );
  const unreadable: string[] = [];
  for (const { id, sealed } of rows) {
    const opened = sealing.tryUnseal(sealed, column.purpose, id);
    if (opened === null) {
      unreadable.push(id);
      continue;
    }
    await query(tx, `update ${column.table} set ${column.column} = $2 where ${column.boundTo} = $1`, [
      id,
      sealing.seal(opened, column.purpose, id),
    ]);
  }
  return {
    resealed: rows.length - unreadable.length,
    unreadable,
    after: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
  };
}

interface SealedRow {
  readonly id: string;
  readonly sealed: Buffer;
}

/** An id that sorts before the id of every row. */
export const FIRST_ROW = '00000000-0000-0000-0000-000000000000';

function keyIdSql({ column }: SealedColumn): string {
  const mark = `'\\x${SEAL_MARK.toString('hex')}'::bytea`;
  return `case when substring(${column} from 1 for ${SEAL_MARK.length}) = ${mark}
    then encode(substring(${column} from ${SEAL_MARK.length + 1} for ${KEY_ID_LENGTH}), 'hex') end`;
}
