import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '#platform/database/open-database.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { identity } from '../../../subgraphs/identity/main.ts';
import { freshDatabase } from '../../support/fresh-database.ts';

const BACKEND = statement(
  ({ number }: Parameters<{ number: number }>) =>
    sql<{ pid: number; number: number }>`select pg_backend_pid() as pid, ${number}::int as number`,
);
const HALF = statement(
  ({ number }: Parameters<{ number: number }>) => sql<{ half: number }>`select 2 / ${number}::int as half`,
);

let database: Database;
beforeAll(async () => {
  database = await freshDatabase(identity);
});
afterAll(() => database.close());

const numbers = Array.from({ length: 50 }, (_, number) => number);
const ask = (number: number) => database.lookUps.find(BACKEND, { number });

it('look-ups of one event-loop tick share connections in bounded batches, and each gets its own result', async () => {
  for (let turn = 0; turn < 3; turn++) {
    const answers = await Promise.all(numbers.map(ask));
    expect(answers.map((answer) => answer?.number)).toEqual(numbers);
    const perConnection = [...Map.groupBy(answers.slice(0, 16), (answer) => answer?.pid).values()];
    expect(perConnection).toHaveLength(1);
    expect(new Set(answers.map((answer) => answer?.pid)).size).toBe(4);
  }
});

it('a failing look-up does not affect others in its batch, and its connection is not reused', async () => {
  const [before, half, failed, after] = await Promise.allSettled([
    ask(1),
    database.lookUps.find(HALF, { number: 1 }),
    database.lookUps.find(HALF, { number: 0 }),
    ask(2),
  ]);
  expect(before).toMatchObject({ status: 'fulfilled', value: { number: 1 } });
  expect(half).toEqual({ status: 'fulfilled', value: { half: 2 } });
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: '22012' } });
  expect(after).toMatchObject({ status: 'fulfilled', value: { number: 2 } });
  const pidOf = (outcome: typeof before) => (outcome?.status === 'fulfilled' ? outcome.value?.pid : undefined);
  expect(pidOf(after)).toBe(pidOf(before));
  expect((await ask(3))?.pid).not.toBe(pidOf(before));
});
