/** Single look-ups outside any transaction: one round trip, prepared once a connection. For what every request must ask. */
import pg from 'pg';
import type { ConnectionTarget } from './connection-target.ts';

export interface LookUpStatement {
  /** Names the prepared statement: one name, one text. */
  readonly name: string;
  readonly text: string;
}

export interface LookUps {
  find<Row extends pg.QueryResultRow>(statement: LookUpStatement, values: readonly unknown[]): Promise<Row | null>;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 4;

/** Its connections take `role` when they begin and keep it: they cannot do more than that role. Opens none before the first look-up. */
export function lookUpsAs(role: string, target: ConnectionTarget): LookUps {
  const pool = new pg.Pool({
    host: target.host, port: target.port, user: target.user, password: target.password, database: target.dbName, ...target.driverOptions,
    options: `-c role=${role}`, max: CONNECTIONS_MAX, allowExitOnIdle: true,
  });
  // A connection that is lost while it rests is replaced at the next look-up, which reports whatever is still wrong.
  pool.on('error', () => {});
  return {
    async find<Row extends pg.QueryResultRow>({ name, text }: LookUpStatement, values: readonly unknown[]) {
      const { rows } = await pool.query<Row>({ name, text, values: [...values] });
      return rows[0] ?? null;
    },
    close: () => pool.end(),
  };
}
