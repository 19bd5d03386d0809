/** Single look-ups outside any transaction: one round trip, prepared once a connection. For what every request must ask. */
import { camelCaseRows } from './camel-case-rows.ts';
import type { ConnectionTarget } from './connection-target.ts';
import { poolAs } from './pool-as.ts';

export interface LookUpStatement {
  /** Names the prepared statement: one name, one text. */
  readonly name: string;
  readonly text: string;
}

export interface LookUps {
  find<Row>(statement: LookUpStatement, values: readonly unknown[]): Promise<Row | null>;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 4;

export function lookUpsAs(role: string, target: ConnectionTarget): LookUps {
  const pool = poolAs(role, target, { max: CONNECTIONS_MAX });
  return {
    async find<Row>({ name, text }: LookUpStatement, values: readonly unknown[]) {
      const { rows } = await pool.query<object>({ name, text, values: [...values] });
      return camelCaseRows<Row>(rows)[0] ?? null;
    },
    close: () => pool.end(),
  };
}
