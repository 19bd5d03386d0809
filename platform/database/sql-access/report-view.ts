/** A view for SQL tools, in schema `report` of a subgraph's database. */
export interface ReportView {
  readonly name: string;
  /** The tables that the query reads, all of them with an `organization_id`. */
  readonly tables: readonly string[];
  /** True if rows of the nil organization in these tables belong to everybody. */
  readonly isShared?: true;
  readonly query: string;
}

/** SQL for the organization of the role that is logged in; null for any other role. A client cannot change it. */
export const ORGANIZATION_OF_ROLE = '(select organization_id from report.reader where role_name = session_user)';

/** SQL for an amount or a quantity with its full precision. Without it, some tools would read a binary double. */
export function exactNumber(expression: string): string {
  return `(${expression})::numeric(38, 15)`;
}
