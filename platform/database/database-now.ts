/** The clock that all processes share: what one of them leaves for another to wait for is timed by it. */
import { queryOne, type Transaction } from './sql.ts';

/** The database's time at this statement. Clocks of machines differ, and jump. */
export async function databaseNow(tx: Transaction): Promise<Date> {
  const { milliseconds } = await queryOne<{ milliseconds: number }>(
    tx,
    'select floor(extract(epoch from statement_timestamp()) * 1000)::float8 as milliseconds',
  );
  return new Date(milliseconds);
}
