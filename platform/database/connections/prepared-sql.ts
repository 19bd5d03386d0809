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
 * Called where modules are loaded, so that there is a fixed number. The plan may be one for any parameters: none should depend on
 * how many rows they match.
 */
export function prepared(text: string, { commits }: { readonly commits: boolean } = { commits: false }): PreparedSql {
  return { text, name: `prepared_${names++}`, commits };
}
