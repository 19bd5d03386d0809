/** Stores an admin key, so that bills are pulled. */
import { now } from '#platform/clock.ts';
import type { Sealing } from '#platform/seal.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { ADMIN_KEY_SEAL, NAME_LENGTH_MAX } from '../config.ts';
import type { BillConnection, BillConnectionSaveInput } from '../resolvers.generated.ts';
import { holdConnection, saveConnection } from './bill-connection.table.ts';
import { toBillConnectionView } from './bill-connection-view.ts';
import { findLastPull } from './last-pull.query.ts';
import { openConnection } from './open-connection.step.ts';
import { isPulledSource, PULLED_SOURCES, titleOfSource } from './source-facts.ts';

const KEY = /^[\x21-\x7e]{8,500}$/;
const ENDING = 4;

/** The first pull begins at once. Fails with `VALIDATION_ERROR` for a source that cannot be pulled. */
export async function saveBillConnection(
  context: SubgraphContext,
  { source, name, key, apiBase }: BillConnectionSaveInput,
  sealing: Sealing,
): Promise<BillConnection> {
  const organizationId = organizationOf(context);
  if (context.principal.sampleOf !== undefined) fail('FORBIDDEN', 'Sample data cannot be connected to an account');
  if (!isPulledSource(source)) return fail('VALIDATION_ERROR', `source must be one of ${PULLED_SOURCES}`);
  if (!KEY.test(key)) fail('VALIDATION_ERROR', 'key must have 8 to 500 characters without spaces');
  const title = (name ?? titleOfSource(source)).trim();
  if (title === '' || title.length > NAME_LENGTH_MAX)
    fail('VALIDATION_ERROR', `name must have 1 to ${NAME_LENGTH_MAX} characters`);
  if (typeof apiBase === 'string' && !context.principal.grants.includes('operator'))
    fail('FORBIDDEN', 'Only an operator can set apiBase');
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const id = await openConnection(tx, { organizationId, source, name: title, at });
    const known = await holdConnection(tx, organizationId, id);
    if (known === null) return fail('NOT_FOUND', 'Bill connection not found');
    const connection = {
      ...known,
      sealedKey: sealing.seal(key, ADMIN_KEY_SEAL, id),
      keyEnding: key.slice(-ENDING),
      apiBase: apiBase ?? known.apiBase,
      updatedAt: at,
      dueAt: at,
      lastError: null,
      failures: 0,
    };
    await saveConnection(tx, connection);
    await recordAudit(tx, {
      organizationId,
      at,
      action: known.sealedKey === null ? 'bill_connection.created' : 'bill_connection.changed',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${title}: ${source}`,
    });
    return toBillConnectionView(connection, await findLastPull(tx, organizationId, id));
  });
}
