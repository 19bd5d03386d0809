/** Recognizes the format of a bill and reads it into lines. */
import { type BillLine, BillFormatError, type BillSource, type ReadBill } from '../lines/bill-line.ts';
import { mergeLines } from '../lines/merge-lines.ts';
import { readTable } from '../lines/delimited-table.ts';
import {
  isAnthropic,
  isAnthropicAnalytics,
  isAnthropicTable,
  readAnthropic,
  readAnthropicTable,
} from './read-anthropic.ts';
import { isAwsCur, readAwsCur } from './read-aws-cur.ts';
import { focusSource, isFocus, readFocus } from './read-focus.ts';
import { isGcpBilling, readGcpBilling } from './read-gcp-billing.ts';
import { type JsonObject, objectsOf, readJsonDocuments } from './json-documents.ts';
import { isOpenai, isOpenaiTable, readOpenai, readOpenaiTable } from './read-openai.ts';
import { isOpenrouter, isOpenrouterTable, readOpenrouter, readOpenrouterTable } from './read-openrouter.ts';
import { isXai, readXai } from './read-xai.ts';

const FORMATS =
  'a cost or usage report from Anthropic, OpenAI or xAI, AWS CUR 2.0, a Google billing export, OpenRouter activity, or FOCUS 1.0 to 1.4';

/** Throws a {@link BillFormatError} for anything that is not a known format. */
export function readBill(text: string): ReadBill {
  const { source, lines } = /^\s*[[{]/.test(text.slice(0, 1_000).replace(/^\uFEFF/, ''))
    ? readJson(text)
    : readCsv(text);
  return { source, lines: mergeLines(lines) };
}

function readJson(text: string): { source: BillSource; lines: BillLine[] } {
  const documents = readJsonDocuments(text);
  if (documents.length === 0) throw new BillFormatError('The file is empty');
  if (documents.every(isFocus)) return { source: focusSource(documents), lines: readFocus(documents) };
  if (documents.every(isGcpBilling)) return { source: 'gcp.billing', lines: readGcpBilling(documents) };
  const read = documents.map(readDocument);
  const sources = new Set(read.map(({ source }) => source));
  const [source] = sources;
  if (source === undefined || sources.size > 1)
    throw new BillFormatError('The file contains responses from several sources: import each source separately');
  return { source, lines: read.flatMap(({ lines }) => lines) };
}

function readDocument(document: JsonObject): { source: BillSource; lines: BillLine[] } {
  const rows = objectsOf(document['data']);
  if (rows.length > 0 && rows.every(isFocus)) return { source: focusSource(rows), lines: readFocus(rows) };
  if (isOpenrouter(document)) return { source: 'openrouter.activity', lines: readOpenrouter(document) };
  if (isOpenai(document)) return { source: 'openai.costs', lines: readOpenai(document) };
  if (isXai(document)) return { source: 'xai.usage', lines: readXai(document) };
  if (isAnthropic(document))
    return {
      source: isAnthropicAnalytics(document) ? 'anthropic.analytics' : 'anthropic.cost_report',
      lines: readAnthropic(document),
    };
  throw new BillFormatError(`Unknown format. Import ${FORMATS}`);
}

function readCsv(text: string): { source: BillSource; lines: BillLine[] } {
  const rows = readTable(text);
  const [first] = rows;
  if (first === undefined) throw new BillFormatError('The file contains no rows');
  if (isFocus(first)) return { source: focusSource(rows), lines: readFocus(rows) };
  if (isAwsCur(first)) return { source: 'aws.cur2', lines: readAwsCur(rows) };
  if (isGcpBilling(first)) return { source: 'gcp.billing', lines: readGcpBilling(rows) };
  if (isAnthropicTable(first)) return { source: 'anthropic.cost_report', lines: readAnthropicTable(rows) };
  if (isOpenaiTable(first)) return { source: 'openai.costs', lines: readOpenaiTable(rows) };
  if (isOpenrouterTable(first)) return { source: 'openrouter.activity', lines: readOpenrouterTable(rows) };
  throw new BillFormatError(`The columns match no known format. Import ${FORMATS}`);
}
