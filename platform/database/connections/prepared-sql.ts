/** SQL that each connection parses once, for statements that run all the time. */
export interface PreparedSql {
  readonly text: string;
  /** The name of the prepared statement, unique in this process. */
  readonly name: string;
  /** The transaction is committed in the same message; nothing may follow in it. */
  readonly commits: boolean;
}

let names = 0;

/**
 * Call it at module level, so that the number is fixed. PostgreSQL may use a generic plan, so the plan should not
 * depend on the parameters.
 */
export function prepared(text: string, { commits }: { readonly commits: boolean } = { commits: false }): PreparedSql {
  return { text, name: `prepared_${names++}`, commits };
}
