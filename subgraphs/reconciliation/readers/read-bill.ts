/** Recognizes the format of a bill and reads it into lines, in slices. */
import type { Fields } from '#kernel/json/json-object.ts';
import { pace } from '#platform/slices.ts';
import { BillFormatError, type BillLine, type ReadBill } from '../lines/bill-line.ts';
import { mergedLines } from '../lines/merge-lines.ts';
import type { BillReader } from './bill-reader.ts';
import { flatten } from './json-values.ts';
import { anthropicReader, anthropicTableReader } from './read-anthropic.ts';
import { awsCurReader } from './read-aws-cur.ts';
import { fireworksReader } from './read-fireworks.ts';
import { focusReader } from './read-focus.ts';
import { gcpBillingReader } from './read-gcp-billing.ts';
import { openaiReader, openaiTableReader } from './read-openai.ts';
import { openrouterReader, openrouterTableReader } from './read-openrouter.ts';
import { readRecords } from './read-records.ts';
import { columnRenamer } from './rename-columns.ts';
import { xaiReader } from './read-xai.ts';

const TABLES = [
  focusReader,
  awsCurReader,
  gcpBillingReader,
  anthropicTableReader,
  openaiTableReader,
  openrouterTableReader,
  fireworksReader,
];
const DOCUMENTS = [
  focusReader,
  awsCurReader,
  gcpBillingReader,
  openrouterReader,
  openaiReader,
  xaiReader,
  anthropicReader,
];

const FORMATS =
  'a cost or usage report from Anthropic, OpenAI, xAI or Fireworks, AWS CUR 2.0, a Google billing export, OpenRouter activity, or FOCUS 1.0 to 1.4';

/** Throws a {@link BillFormatError} for anything that is not a known format, or has more than `linesMax` lines. */
export async function readBill(chunks: AsyncIterable<string>, linesMax: number): Promise<ReadBill> {
  const { isDue, rest } = pace();
  const merged = mergedLines();
  let format: Format | null = null;
  for await (const { isTable, fields } of readRecords(chunks)) {
    format ??= formatOf(isTable, fields);
    const { reader, rename } = format;
    const renamed = rename(fields);
    if (!reader.matches(renamed))
      throw new BillFormatError('The file contains responses from several sources: import each source separately');
    for (const line of reader.read(renamed)) {
      requireAmount(line);
      merged.add(line);
      if (isDue()) await rest();
    }
    if (merged.count() > linesMax)
      throw new BillFormatError(`more than ${linesMax} lines, after the rows of each day are added up`);
    if (isDue()) await rest();
  }
  if (format === null) throw new BillFormatError('The file contains no rows');
  return { source: format.reader.source(), lines: await merged.lines(format.reader.cutsZeros === true) };
}

/** A charge without an amount would be compared as zero. */
function requireAmount({ part, day, label, net, discount, credit, tax }: BillLine): void {
  if (part === 'cost' && net === null && discount === null && credit === null && tax === null)
    throw new BillFormatError(`A row of ${day} has no amount: ${JSON.stringify(label.slice(0, 80))}`);
}

interface Format {
  readonly reader: BillReader;
  readonly rename: (fields: Fields) => Fields;
}

function renamerOf({ columns, isNested }: BillReader): Format['rename'] {
  const rename = columns === undefined ? (fields: Fields) => fields : columnRenamer(columns);
  return (fields) => rename(isNested === true ? flatten(fields) : fields);
}

function formatOf(isTable: boolean, fields: Fields): Format {
  for (const open of isTable ? TABLES : DOCUMENTS) {
    const reader = open();
    const rename = renamerOf(reader);
    if (reader.matches(rename(fields))) return { reader, rename };
  }
  throw new BillFormatError(
    isTable ? `The columns match no known format. Import ${FORMATS}` : `Unknown format. Import ${FORMATS}`,
  );
}
