/** Parses the parameters of an export and streams a report table in a file format. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { fail } from '#kernel/errors.ts';
import { csv } from './formats/csv.ts';
import { jsonl } from './formats/jsonl.ts';
import { parquet } from './formats/parquet.ts';
import type { ReportFormat } from './formats/report-format.ts';
import { type Period, parsePeriod } from './period.ts';
import { columnsOf, type Grain, GRAINS, type ReportTable } from './report-table.ts';
import { REPORT_TABLES } from './report-tables.ts';

/** The first is the default. */
export const FORMATS = { csv, jsonl, parquet } as const satisfies Record<string, ReportFormat>;

export interface ReportRequest {
  readonly table: ReportTable;
  readonly period: Period;
  readonly grain: Grain;
  readonly format: ReportFormat;
  /** Undefined for a table without editions. */
  readonly edition: string | undefined;
}

/** Names of the parameters. */
export const REPORT_PARAMETERS = ['period', 'grain', 'format', 'version'] as const;

/** Parameters as sent. */
export type ReportParameters = { readonly [Name in (typeof REPORT_PARAMETERS)[number]]?: string | undefined };

/** Fails with `NOT_FOUND` for an unknown table. */
export function findReport(name: string): ReportTable {
  return (
    REPORT_TABLES.find((table) => table.name === name) ??
    fail('NOT_FOUND', `Unknown report table. Use one of: ${REPORT_TABLES.map((table) => table.name).join(', ')}`)
  );
}

/** Fails with `VALIDATION_ERROR`. */
export function parseReportRequest(
  table: ReportTable,
  { period, grain, format = 'csv', version }: ReportParameters,
  now: Date,
): ReportRequest {
  const named = Object.entries(FORMATS).find(([name]) => name === format)?.[1];
  const grains = table.grains.join(', ');
  return {
    table,
    period: parsePeriod(period, now),
    grain:
      (grain === undefined ? table.grains[0] : GRAINS.find((one) => one === grain && table.grains.includes(one))) ??
      fail(
        'VALIDATION_ERROR',
        `grain of ${table.name} must be ${table.grains.length > 1 ? `one of ${grains}` : grains}`,
      ),
    format: named ?? fail('VALIDATION_ERROR', `format must be one of ${Object.keys(FORMATS).join(', ')}`),
    edition: parseEdition(table, version),
  };
}

function parseEdition({ name, editions }: ReportTable, version: string | undefined): string | undefined {
  if (version === undefined) return editions?.[0];
  if (editions === undefined) return fail('VALIDATION_ERROR', `${name} has no version to choose`);
  return editions.includes(version)
    ? version
    : fail('VALIDATION_ERROR', `version of ${name} must be one of ${editions.join(', ')}`);
}

/** `charge_day-2026-11.csv`, `charge_day-agent-2026-11.csv` for a grain that is not the default, `focus-1.2-2026-11.csv`. */
export function fileNameOf({ table, period, grain, format, edition }: ReportRequest): string {
  const parts = [
    table.name,
    ...(edition === undefined ? [] : [edition]),
    ...(grain === table.grains[0] ? [] : [grain]),
    period.name,
  ];
  return `${parts.join('-')}.${format.extension}`;
}

/** `onRows` is called with the number of rows of each batch. */
export function printReport(
  gateway: GatewayClient,
  principal: Principal,
  { table, period, grain, format, edition }: ReportRequest,
  onRows?: (count: number) => void,
): AsyncGenerator<string | Uint8Array> {
  const rows = table.rows({
    ask: (document, variables) => askGateway(gateway, document, variables, principal),
    period,
    grain,
  });
  return format.print({
    schema: `${table.name}/${edition ?? `v${table.version}`}`,
    columns: columnsOf(table, grain, edition),
    isForPrograms: table.isForPrograms ?? false,
    rows: onRows === undefined ? rows : counted(rows, onRows),
  });
}

async function* counted<Row>(
  batches: AsyncIterable<readonly Row[]>,
  onRows: (count: number) => void,
): AsyncGenerator<readonly Row[]> {
  for await (const rows of batches) {
    onRows(rows.length);
    yield rows;
  }
}
