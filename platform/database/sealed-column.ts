/** Columns that hold sealed values: whether they can be opened, and sealing them again under the current key. */
import type { Actor } from '../subgraph/audit-record.ts';
import { KEY_ID_LENGTH, SEAL_MARK, type Sealing } from '../seal.ts';
import type { EntityManager } from './open-database.ts';
import { query } from './sql.ts';

/** One column of a subgraph whose values are sealed. Names come from the code, never from a request. */
export interface SealedColumn {
  /** For people: what one value is, and several. */
  readonly one: string;
  readonly many: string;
  readonly table: string;
  readonly column: string;
  readonly purpose: string;
  /** The UUID column whose text each value is bound to; it also names the row. */
  readonly boundTo: string;
  /** Gives up values of these rows that no one can open any more, with what depends on them and its audit records. */
  readonly discard: (em: EntityManager, ids: readonly string[], by: Actor) => Promise<void>;
}

export interface SealedGroup {
  /** `null`: from before there were key ids. */
  readonly keyId: string | null;
  readonly count: number;
  readonly isReadable: boolean;
}

/** Values of before there were key ids are opened in pages of so many. */
const PAGE_SIZE = 1_000;

/**
 * The values by key. A key's id proves the key, so those that carry one are only counted; those from before are opened
 * one by one, and sealing them again ends that.
 */
export async function countSealed(em: EntityManager, sealing: Sealing, column: SealedColumn): Promise<SealedGroup[]> {
  const rows = await query<{ keyId: string | null; count: number }>(
    em,
    `
    select ${keyIdSql(column)} as key_id, count(*)::int as count
      from ${column.table} where ${column.column} is not null group by 1 order by 1`,
  );
  const groups: SealedGroup[] = [];
  for (const { keyId, count } of rows) {
    if (keyId === null) groups.push(...(await countWithoutId(em, sealing, column)));
    else groups.push({ keyId, count, isReadable: sealing.ring.find(keyId) !== null });
  }
  return groups;
}

async function countWithoutId(em: EntityManager, sealing: Sealing, column: SealedColumn): Promise<SealedGroup[]> {
  const counts = { readable: 0, unreadable: 0 };
  for (let after = FIRST_ROW; ;) {
    const page = await query<SealedRow>(
      em,
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
  /** Rows whose values no key opens; they are left as they are. */
  readonly unreadable: readonly string[];
  /** The last row that was looked at; `null`: there is none behind it. */
  readonly after: string | null;
}

/** Seals up to `limit` values behind the row `after` again that another key sealed. What is done is not done again. */
export async function resealSome(
  em: EntityManager,
  sealing: Sealing,
  column: SealedColumn,
  after: string,
  limit: number,
): Promise<Resealed> {
  const rows = await query<SealedRow>(
    em,
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
    await query(em, `update ${column.table} set ${column.column} = $2 where ${column.boundTo} = $1`, [
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

/** Every row is behind it. */
export const FIRST_ROW = '00000000-0000-0000-0000-000000000000';

function keyIdSql({ column }: SealedColumn): string {
  const mark = `'\\x${SEAL_MARK.toString('hex')}'::bytea`;
  return `case when substring(${column} from 1 for ${SEAL_MARK.length}) = ${mark}
    then encode(substring(${column} from ${SEAL_MARK.length + 1} for ${KEY_ID_LENGTH}), 'hex') end`;
}
