/** Tests the stored key against the processor. */
import type { Sealing } from '#platform/seal.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { CONNECTION_SEAL } from '../config.ts';
import { connectionOf } from './payment-connection.table.ts';
import { tryKey } from '../stripe/try-key.ts';
import { failByProcessor } from '../stripe/fail-by-processor.ts';
import { type ConnectionView, toConnectionView } from './connection-view.ts';

/** Fails with `NOT_FOUND` if no account is connected, and with `VALIDATION_ERROR` if the processor refuses the key. */
export async function checkRevenueConnection(context: SubgraphContext, sealing: Sealing): Promise<ConnectionView> {
  const organizationId = organizationOf(context);
  const connection = await context.database.write(organizationId, (tx) => connectionOf(tx, organizationId));
  if (connection === null || connection.sealedKey === null)
    return fail('NOT_FOUND', 'No payment-processor account is connected');
  const key = sealing.unseal(connection.sealedKey, CONNECTION_SEAL, connection.id);
  await tryKey(key, connection.apiBase).catch(failByProcessor);
  return toConnectionView(connection);
}
