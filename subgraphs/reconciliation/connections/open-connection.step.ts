/** Returns the id of the connection with a source and name, and creates it if it does not exist. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { randomUuid } from '#platform/random.ts';
import { fail } from '#kernel/errors.ts';
import { CONNECTIONS_MAX } from '../config.ts';
import type { BillSource } from '../lines/bill-line.ts';
import { ensureConnection, listConnections } from './bill-connection.table.ts';
import { settleHoursOf } from './source-facts.ts';

/** Fails with `VALIDATION_ERROR` if the organization would have too many connections. */
export async function openConnection(
  tx: WriteTransaction,
  connection: {
    readonly organizationId: OrganizationId;
    readonly source: BillSource;
    readonly name: string;
    readonly at: Date;
  },
): Promise<string> {
  const settleHours = settleHoursOf(connection.source);
  const id = await ensureConnection(tx, { ...connection, id: randomUuid(), settleHours });
  if ((await listConnections(tx, connection.organizationId)).length > CONNECTIONS_MAX)
    fail('VALIDATION_ERROR', `An organization can have at most ${CONNECTIONS_MAX} bill connections`);
  return id;
}
