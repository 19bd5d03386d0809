/** A report table as data: its columns, which all formats and the documentation share, and how its rows are read. */
import type { GraphqlDocument } from '#schema/graphql.ts';
import type { Scope } from '#schema/scopes.ts';
import type { Period } from './period.ts';

/** `sku` has one row per key of the table. The others also distinguish end users or agents. */
export const GRAINS = ['sku', 'customer', 'agent'] as const;
export type Grain = (typeof GRAINS)[number];

/** Value types by column type. A decimal is text in plain notation with at most 15 fraction digits. */
interface Values {
  /** `2026-11-27` */
  date: string;
  /** `2026-11-27T10:00:00.000Z` */
  instant: string;
  text: string;
  integer: number;
  decimal: string;
  boolean: boolean;
}

export interface Column {
  readonly type: keyof Values;
  readonly isNullable?: true;
  /** Unit of a number. */
  readonly unit?: string;
  /** The column exists only in files of this grain. */
  readonly grain?: Grain;
  /** The column exists only in files of these editions. */
  readonly editions?: readonly string[];
  readonly about: string;
}

export type Columns = Readonly<Record<string, Column>>;

export type RowOf<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends { readonly isNullable: true }
    ? Values[Of[Name]['type']] | null
    : Values[Of[Name]['type']];
};

export type ReportRow = Readonly<Record<string, string | number | boolean | null>>;

export interface ReportSource {
  /** Sends a document to the gateway. Fails with the response's first error. */
  readonly ask: <Data, Variables extends object>(
    document: GraphqlDocument<Data, Variables>,
    variables: NoInfer<Variables>,
  ) => Promise<Data>;
  readonly period: Period;
  readonly grain: Grain;
}

export interface ReportTable {
  readonly name: string;
  /** Shown to people: `Charges by day`. */
  readonly title: string;
  /** Increases when a column is renamed, removed or changes its meaning. */
  readonly version: number;
  readonly scope: Scope;
  readonly about: string;
  readonly grains: readonly Grain[];
  /** Versions of the standard that the table follows, as in the parameter `version`. The first is the default. */
  readonly editions?: readonly [string, ...string[]];
  /** CSV contains text as it is, even if a spreadsheet would evaluate it. */
  readonly isForPrograms?: true;
  readonly columns: Columns;
  /** Columns whose combination of values is unique within a file. */
  readonly key: readonly string[];
  /** A sample row for the documentation. */
  readonly example: ReportRow;
  /** Yields the rows of the period in batches of at most a few thousand. */
  readonly rows: (source: ReportSource) => AsyncGenerator<readonly ReportRow[]>;
}

/** The compiler checks the rows against the columns. */
export function defineReport<const Of extends Columns>(
  table: Omit<ReportTable, 'columns' | 'example' | 'key' | 'rows'> & {
    readonly columns: Of;
    readonly key: readonly (keyof Of & string)[];
    readonly example: RowOf<Of>;
    readonly rows: (source: ReportSource) => AsyncGenerator<readonly RowOf<Of>[]>;
  },
): ReportTable {
  return table;
}

/** The columns of a file, in order. */
export function columnsOf(
  { columns, editions }: ReportTable,
  grain: Grain,
  edition: string | undefined = editions?.[0],
): readonly (Column & { readonly name: string })[] {
  return Object.entries(columns)
    .filter(
      ([, column]) =>
        (column.grain === undefined || column.grain === grain) &&
        (column.editions === undefined || column.editions.includes(edition ?? '')),
    )
    .map(([name, column]) => ({ ...column, name }));
}
