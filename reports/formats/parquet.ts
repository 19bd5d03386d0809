/** Parquet: decimals are exact, and dates and instants have their own types. */
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { amount } from '#kernel/money.ts';
import { microsOf, requireInstant } from '#kernel/time/instant.ts';
import type { ReportRow } from '../report-table.ts';
import type { NamedColumn, ReportFormat } from './report-format.ts';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];
type Value = ReportRow[string];
type Stored = string | bigint | boolean | Date | null;

/** Rows held in memory and written as one row group. */
const ROWS_PER_GROUP = 5_000;

/** As in the ledger: `numeric(30,15)`. */
const DECIMAL = { converted_type: 'DECIMAL', precision: 30, scale: 15, type_length: 13 } as const;

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  date: { type: 'INT32', converted_type: 'DATE' },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  integer: { type: 'INT64' },
  decimal: { type: 'FIXED_LEN_BYTE_ARRAY', ...DECIMAL },
  boolean: { type: 'BOOLEAN' },
} as const satisfies Record<NamedColumn['type'], Omit<SchemaElement, 'name'>>;

export const parquet: ReportFormat = {
  contentType: 'application/vnd.apache.parquet',
  extension: 'parquet',
  async *print({ schema, columns, rows }) {
    // Loaded on demand: few processes ever write Parquet.
    const library = await import('hyparquet-writer');
    const writer = new library.ByteWriter();
    const file = new library.ParquetWriter({
      writer,
      schema: [{ name: 'root', num_children: columns.length }, ...columns.map(schemaElement)],
      kvMetadata: [{ key: 'schema', value: schema }],
    });
    let waiting: ReportRow[] = [];
    const writeGroup = () => {
      const columnData = columns.map((column) => ({
        name: column.name,
        data: waiting.map((row) => storedValue(column, row[column.name] ?? null)),
      }));
      void file.write({ columnData, rowGroupSize: ROWS_PER_GROUP });
      waiting = [];
      return taken(writer);
    };
    for await (const batch of rows) {
      waiting.push(...batch);
      if (waiting.length >= ROWS_PER_GROUP) yield writeGroup();
    }
    if (waiting.length > 0) yield writeGroup();
    void file.finish();
    yield taken(writer);
  },
};

function schemaElement({ name, type, isNullable }: NamedColumn): SchemaElement {
  return { name, repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED', ...TYPES[type] };
}

function storedValue({ type }: NamedColumn, value: Value): Stored {
  if (value === null) return null;
  switch (type) {
    case 'decimal':
      return amount(String(value));
    case 'integer':
      return BigInt(value);
    case 'date':
      return new Date(String(value));
    case 'instant':
      return microsOf(requireInstant('instant', String(value)));
    case 'boolean':
      return value === true;
    case 'text':
      return String(value);
  }
}

/** Returns the bytes written since the last call and empties the buffer. The file offset keeps counting. */
function taken(writer: ByteWriter): Uint8Array {
  const bytes = writer.getBytes().slice();
  writer.index = 0;
  return bytes;
}
