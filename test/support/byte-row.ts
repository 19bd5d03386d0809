/** A row as PostgreSQL sends it. */
import { ByteRow } from '../../platform/database/connections/byte-rows.ts';

export function byteRow(columns: readonly (string | null)[]): ByteRow {
  const row = new ByteRow();
  // Other bytes before and behind, as in what came.
  row.become(Buffer.concat([Buffer.from('before'), rowMessage(columns), Buffer.from('"}')]), 'before'.length);
  return row;
}

/** How many columns, then each with its length; none for null. */
function rowMessage(columns: readonly (string | null)[]): Buffer {
  const count = Buffer.alloc(2);
  count.writeInt16BE(columns.length);
  return Buffer.concat([
    count,
    ...columns.flatMap((column) => {
      const length = Buffer.alloc(4);
      const bytes = Buffer.from(column ?? '');
      length.writeInt32BE(column === null ? -1 : bytes.length);
      return [length, bytes];
    }),
  ]);
}
