/** Output of a read command: a few facts, a table, and remarks. */
export interface Column {
  /** Field name, and column heading in CSV. */
  readonly name: string;
  /** Column heading in the printed table. */
  readonly title: string;
  readonly kind: 'text' | 'amount' | 'count' | 'percent';
}

export type Row = Readonly<Record<string, unknown>>;

export interface Sheet {
  /** Printed above the table. */
  readonly facts: readonly (readonly [string, string])[];
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
  /** Printed below the table. */
  readonly remarks: readonly string[];
}
