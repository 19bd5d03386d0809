/** Streams an export file of another product to the service, batch by batch, and continues where it stopped. */
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ImportCounts, type ImportedTime } from '../../../packages/history-files/import-counts.ts';
import { HISTORY_ENDPOINTS, readHistory } from '../../../packages/history-files/read-history.ts';
import type { HistorySource } from '../../../packages/history-files/history-row.ts';
import type { Dependencies } from '../dependencies.ts';
import { postItems } from '../post-items.ts';
import type { Login } from '../saved-login.ts';
import { importProgress } from './import-progress.ts';

const ITEMS_MAX = 500;

export interface ImportOptions extends ImportedTime {
  readonly source: HistorySource;
  readonly path: string;
  /** Null: a dry run. */
  readonly login: Login | null;
}

/** `resumedAt`: the number of rows that an earlier run had finished. Fails with a message for the user. */
export async function importFile(
  { source, path, since, until, login }: ImportOptions,
  { wait, draw, say, progress }: Pick<Dependencies, 'wait' | 'draw' | 'say' | 'progress'>,
): Promise<{ counts: ImportCounts; resumedAt: number }> {
  const { size, mtimeMs } = statSync(path);
  const file = JSON.stringify([login?.api, login?.key, source, resolve(path), size, mtimeMs, since, until]);
  const resumedAt = login === null ? 0 : progress.read(file);
  const counts = new ImportCounts();
  const bytes = countedBytes(path);
  const shown = importProgress({ draw, say }, size);
  let batch: object[] = [];
  const flush = async () => {
    if (login !== null && batch.length > 0) {
      counts.add(await postItems(login, HISTORY_ENDPOINTS[source], batch, wait, Infinity));
      progress.write(file, counts.rows);
    }
    batch = [];
    shown.at(bytes.read(), counts.rows);
  };
  for await (const row of readHistory(source, bytes.chunks)) {
    counts.rows++;
    if (counts.rows <= resumedAt) continue;
    const item = counts.take(row, { since, until });
    if (item !== null) batch.push(item);
    if (batch.length === ITEMS_MAX) await flush();
  }
  await flush();
  shown.end();
  if (login !== null) progress.forget(file);
  return { counts, resumedAt };
}

function countedBytes(path: string): { read(): number; chunks: AsyncIterable<Uint8Array> } {
  const stream = createReadStream(path);
  return { read: () => stream.bytesRead, chunks: stream };
}
