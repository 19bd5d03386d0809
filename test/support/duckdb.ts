/** Reads Parquet files with DuckDB, which shares no code with the writer. Values are text, as DuckDB prints them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';

/** Runs a query on a file, which is the table `file`. */
export async function queryParquet(bytes: ArrayBuffer, query: string): Promise<Record<string, string | null>[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parquet-'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  try {
    const path = join(folder, 'file.parquet');
    writeFileSync(path, new Uint8Array(bytes));
    await connection.run(`create view file as from read_parquet('${path}')`);
    const reader = await connection.runAndReadAll(`select columns(*)::varchar from (${query})`);
    return reader.getRowObjectsJson() as Record<string, string | null>[];
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}

/** A decimal as DuckDB prints it: with all fraction digits of the column's type. */
export function padded(decimal: string): string {
  const [whole, fraction = ''] = decimal.split('.');
  return `${whole}.${fraction.padEnd(15, '0')}`;
}
