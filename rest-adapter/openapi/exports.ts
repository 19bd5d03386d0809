/** OpenAPI description of the exports: one path per report table, with its columns. */
import { csvLine } from '#kernel/csv-line.ts';
import { FORMATS } from '../../reports/export-report.ts';
import { columnsOf, type Column, type ReportTable } from '../../reports/report-table.ts';
import { REPORT_TABLES } from '../../reports/report-tables.ts';
import type { JsonSchema } from '../json-schema.ts';
import { CORRELATION_HEADER, errorResponses, headerReferences } from './responses.ts';

const ERRORS = [
  'VALIDATION_ERROR',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'UNPROCESSABLE_ENTITY',
  'RATE_LIMIT_EXCEEDED',
] as const;

const JSON_TYPES = {
  date: { type: 'string', format: 'date' },
  instant: { type: 'string', format: 'date-time' },
  text: { type: 'string' },
  integer: { type: 'integer' },
  decimal: { type: 'string' },
  boolean: { type: 'boolean' },
} as const satisfies Record<Column['type'], { readonly type: string; readonly format?: string }>;

export function exportPaths(apiOrigin: string): JsonSchema {
  return Object.fromEntries(
    REPORT_TABLES.map((table) => [
      `/ext/v1/exports/${table.name}`,
      {
        get: {
          tags: ['Exports'],
          servers: [{ url: apiOrigin, description: 'Paths are relative to the root of the service.' }],
          security: [{ apiKey: [table.scope] }],
          operationId: `export${capitalized(table.name)}`,
          summary: `Export ${table.name}`,
          description: `${table.about} ${table.editions === undefined ? `Version ${table.version} of the table. ` : ''}Key: ${table.key.map((name) => `\`${name}\``).join(', ')}. Decimals are exact: strings in JSON, DECIMAL(30,15) in Parquet. If the connection closes before the end of the file, the export failed. Requires the scope \`${table.scope}\`. Not part of the contract.`,
          parameters: parametersOf(table),
          responses: {
            200: {
              description: 'The file.',
              headers: { ...CORRELATION_HEADER, ...headerReferences() },
              content: contentOf(table),
            },
            ...errorResponses(ERRORS),
          },
        },
      },
    ]),
  );
}

function parametersOf({ grains, editions, isForPrograms }: ReportTable): JsonSchema[] {
  const choice = (name: string, values: readonly string[], description: string): JsonSchema => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: { type: 'string', enum: values, default: values[0] },
  });
  return [
    {
      name: 'period',
      in: 'query',
      required: false,
      description:
        'A UTC month (`2026-11`) or day (`2026-11-27`). Default: the current month. A period that is not over is exported up to now.',
      schema: { type: 'string', pattern: String.raw`^\d{4}-\d\d(-\d\d)?$` },
    },
    choice(
      'format',
      Object.keys(FORMATS),
      isForPrograms
        ? 'File format.'
        : 'File format. In CSV, text that a spreadsheet would evaluate as a formula starts with an apostrophe.',
    ),
    ...(grains.length > 1
      ? [
          choice(
            'grain',
            grains,
            'Level of detail: per SKU (`sku`), per SKU and end user (`customer`), or per SKU and agent (`agent`).',
          ),
        ]
      : []),
    ...(editions === undefined ? [] : [choice('version', editions, 'Version of the standard.')]),
  ];
}

/** Examples show the columns of the default grain. */
function contentOf(table: ReportTable): JsonSchema {
  const columns = columnsOf(table, table.grains[0]!).map(({ name }) => name);
  const row = Object.fromEntries(columns.map((name) => [name, table.example[name] ?? null]));
  const { csv, jsonl, parquet } = FORMATS;
  return {
    [csv.contentType]: {
      schema: { type: 'string' },
      example: csvLine(columns) + csvLine(Object.values(row)),
    },
    [jsonl.contentType]: { schema: rowSchema(table), example: row },
    [parquet.contentType]: { schema: { type: 'string', contentMediaType: parquet.contentType }, example: '' },
  };
}

/** One line of the JSONL file. */
function rowSchema(table: ReportTable): JsonSchema {
  const columns = [
    ...new Map(
      (table.editions ?? [undefined])
        .flatMap((edition) => table.grains.flatMap((grain) => columnsOf(table, grain, edition)))
        .map((one) => [one.name, one]),
    ).values(),
  ];
  return {
    type: 'object',
    description: 'One line.',
    properties: Object.fromEntries(
      columns.map(({ name, type, isNullable, unit, about }) => {
        const { type: jsonType, ...form } = JSON_TYPES[type];
        const description = unit === undefined ? about : `${about} ${unit}.`;
        return [name, { type: isNullable ? [jsonType, 'null'] : jsonType, ...form, description }];
      }),
    ),
    required: columns
      .filter(({ grain, editions }) => grain === undefined && editions === undefined)
      .map(({ name }) => name),
  };
}

/** `charge_day` → `ChargeDay`. */
function capitalized(name: string): string {
  return name.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
