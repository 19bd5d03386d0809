/** Up to where changes of the ledger have been verified. One row. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';

export const VerificationCursorTable = defineEntity({
  name: 'VerificationCursor',
  tableName: 'verification_cursor',
  properties: {
    id: p.smallint().primary(),
    /** As costing gave it. */
    changedSince: p.text(),
    movedAt: p.datetime(3),
  },
});

export type VerificationCursor = InferEntity<typeof VerificationCursorTable>;

export async function readCursor(em: EntityManager): Promise<string | null> {
  const [row] = await query<{ changedSince: string }>(em, 'select changed_since from verification_cursor where id = 1');
  return row?.changedSince ?? null;
}

export async function moveCursor(em: EntityManager, changedSince: string): Promise<void> {
  await query(
    em,
    `
    insert into verification_cursor (id, changed_since, moved_at) values (1, $1, now())
    on conflict (id) do update set changed_since = excluded.changed_since, moved_at = excluded.moved_at`,
    [changedSince],
  );
}
