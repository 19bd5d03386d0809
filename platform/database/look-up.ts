/** Single look-ups outside any transaction: one round trip, prepared once a connection. For what every request must ask. */
import { camelCaseRows } from './sql.ts';
import type { ConnectionTarget } from './connections/connection-target.ts';
import { inStatementSpan } from '../observability/tracing.ts';
import { poolAs } from './connections/pool-as.ts';
import type { Statement } from './statement.ts';

export interface LookUps {
  find<Input, Row>(statement: Statement<Input, Row>, input: Input): Promise<Row | null>;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 4;

export function lookUpsAs(role: string, target: ConnectionTarget): LookUps {
  const pool = poolAs(role, target, { name: 'look_up', max: CONNECTIONS_MAX });
  const names = new Map<string, string>();
  return {
    async find<Input, Row>({ text, values }: Statement<Input, Row>, input: Input) {
      const { rows } = await inStatementSpan(text, target.dbName, () =>
        pool.query<object>({ name: nameOf(text), text, values: values(input) }),
      );
      return camelCaseRows<Row>(rows)[0] ?? null;
    },
    close: () => pool.end(),
  };

  /** One name, one text. */
  function nameOf(text: string): string {
    const name = names.get(text) ?? `look_up_${names.size}`;
    names.set(text, name);
    return name;
  }
}
