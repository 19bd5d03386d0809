/** Reads an export file of another product as calls, one by one and in the order of the file. */
import { convertHelicone } from './helicone.ts';
import type { ConvertedRow, Fields, HistorySource } from './history-row.ts';
import { convertLangfuse } from './langfuse.ts';
import { convertLitellm } from './litellm.ts';
import { convertOpenRouter } from './openrouter.ts';
import { readRows } from './read-rows.ts';

/** A larger row cannot be a call, and would fill the memory. */
const ROW_BYTES_MAX = 16_777_216;

const CONVERTERS: Readonly<Record<HistorySource, (row: Fields) => ConvertedRow>> = {
  langfuse: convertLangfuse,
  helicone: convertHelicone,
  openrouter: convertOpenRouter,
  litellm: convertLitellm,
};

/** The endpoint that takes the items of each source. */
export const HISTORY_ENDPOINTS: Readonly<Record<HistorySource, '/ext/v1/provider-responses' | '/ext/v1/litellm'>> = {
  langfuse: '/ext/v1/provider-responses',
  helicone: '/ext/v1/provider-responses',
  openrouter: '/ext/v1/provider-responses',
  litellm: '/ext/v1/litellm',
};

/** A row that cannot be read is returned as `refused`, with the reason. */
export async function* readHistory(
  source: HistorySource,
  chunks: AsyncIterable<Uint8Array>,
  rowBytesMax = ROW_BYTES_MAX,
): AsyncGenerator<ConvertedRow> {
  for await (const row of readRows(chunks, rowBytesMax))
    yield 'error' in row ? { kind: 'refused', reason: row.error } : converted(source, row.fields);
}

/** Deeper rows are not calls: programs that print them could fail. */
const DEPTH_MAX = 100;

/** A row that cannot be read does not stop the others. */
function converted(source: HistorySource, fields: Fields): ConvertedRow {
  try {
    const row = CONVERTERS[source](fields);
    if (row.kind !== 'call' || !isDeeper(row.item, DEPTH_MAX)) return row;
    return { kind: 'refused', reason: 'the row is nested too deeply' };
  } catch {
    return { kind: 'refused', reason: 'the row cannot be read' };
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}
