/** Bytes of WAL that the embedded server writes, for all databases. */
import { connectDatabase } from './database-connection.ts';
import type { Service } from './start-service.ts';

/** Starts to measure. The returned function ends the measurement and returns the bytes written in between. */
export async function meterWal({ dataDirectory }: Pick<Service, 'dataDirectory'>): Promise<() => Promise<number>> {
  const { client, close } = await connectDatabase(dataDirectory, 'costing');
  const position = async (): Promise<number> => {
    const { rows } = await client.query<{ bytes: number }>(
      "select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes",
    );
    return rows[0]!.bytes;
  };
  const before = await position();
  return async () => {
    const bytes = (await position()) - before;
    await close();
    return bytes;
  };
}
