/** A file format of reports. */
import type { Column, ReportRow } from '../report-table.ts';

export type NamedColumn = Column & { readonly name: string };

interface ReportFile {
  /** Name and version of the table: `charge_day/v1`. */
  readonly schema: string;
  readonly columns: readonly NamedColumn[];
  readonly rows: AsyncIterable<readonly ReportRow[]>;
  /** CSV contains text as it is, even if a spreadsheet would evaluate it. */
  readonly isForPrograms: boolean;
}

export interface ReportFormat {
  readonly contentType: string;
  readonly extension: string;
  /** Prints a batch at a time. */
  readonly print: (file: ReportFile) => AsyncGenerator<string | Uint8Array>;
}
