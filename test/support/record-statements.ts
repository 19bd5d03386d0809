/** Records statements sent to PostgreSQL by this process from now on: each text once, with its first values. */
import pg from 'pg';

interface RecordedStatement {
  readonly database: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface Recording {
  readonly statements: () => RecordedStatement[];
  stop(): void;
}

export function recordStatements(): Recording {
  const statements = new Map<string, RecordedStatement>();
  const prototype = pg.Client.prototype as { query: (this: pg.Client, ...args: unknown[]) => unknown };
  const original = prototype.query;
  prototype.query = function (...args) {
    const [statement, others] = args as [string | { readonly text?: string; readonly values?: unknown }, unknown];
    const text = typeof statement === 'string' ? statement : statement.text;
    const values = typeof statement === 'string' ? others : (statement.values ?? others);
    if (text !== undefined && !statements.has(text))
      statements.set(text, { database: this.database ?? '', text, values: Array.isArray(values) ? values : [] });
    return original.apply(this, args);
  };
  return {
    statements: () => [...statements.values()],
    stop() {
      prototype.query = original;
    },
  };
}
