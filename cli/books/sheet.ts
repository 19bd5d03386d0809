/** What a reading command shows: a few facts, a table, and remarks. */
export interface Column {
  /** Of the field, and of the column in CSV. */
  readonly name: string;
  /** Of the column for people. */
  readonly title: string;
  readonly kind: 'text' | 'amount' | 'count' | 'percent';
}

export type Row = Readonly<Record<string, unknown>>;

export interface Sheet {
  /** Shown to people above the table. */
  readonly facts: readonly (readonly [string, string])[];
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Said to people below the table. */
  readonly remarks: readonly string[];
}
