/** Connects an account at the payment processor, once the processor has accepted the key. */
import { actorOf } from '../../../platform/audit-record.ts';
import { now } from '../../../platform/clock.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { Sealing } from '../../../platform/seal.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { CONNECTION_SEAL, FIRST_SYNC_DELAY_SECONDS } from '../config.ts';
import { recordAct } from '../data/audit-record.ts';
import { connectionOf, saveConnection } from '../data/payment-connection.ts';
import { forgetCursors } from '../data/sync-cursor.ts';
import { abandonRuns } from '../data/sync-run.ts';
import { tryKey } from '../data/stripe/try-key.ts';
import { failByProcessor } from '../rules/fail-by-processor.ts';
import { type ConnectInput, readConnectInput } from '../rules/read-connect-input.ts';
import { type ShownConnection, showConnection } from '../rules/show-connection.ts';

/** What was connected before is replaced; its records and links stay, and the first sync reads everything. */
export async function connectRevenue(
  context: SubgraphContext,
  given: ConnectInput,
  sealing: Sealing,
): Promise<ShownConnection> {
  const organizationId = organizationOf(context);
  const input = readConnectInput(given, context.principal.grants.includes('operator'));
  await tryKey(input.apiKey, input.apiBase).catch(failByProcessor);
  return context.database.forOrganization(organizationId, async (em) => {
    const known = await connectionOf(em, organizationId);
    const id = known?.id ?? randomUuid();
    const at = now();
    const connection = {
      organizationId,
      id,
      processor: 'stripe' as const,
      apiBase: input.apiBase,
      endUserKey: input.endUserKey,
      sealedKey: sealing.seal(input.apiKey, CONNECTION_SEAL, id),
      keyEnding: input.apiKey.slice(-4),
      status: 'connected' as const,
      connectedAt: at,
      disconnectedAt: null,
      requestedAt: null,
      requestedFull: false,
      eventsOffered: true,
      dueAt: new Date(at.getTime() + FIRST_SYNC_DELAY_SECONDS * 1000),
      attempt: 0,
      leaseOwner: null,
      leaseUntil: null,
      lastError: null,
      lastErrorAt: null,
      lastSyncAt: null,
      lastFullSyncAt: null,
    };
    await abandonRuns(em, organizationId, at);
    await forgetCursors(em, organizationId);
    await recordAct(em, {
      organizationId,
      at,
      act: known === null ? 'connection.created' : 'connection.replaced',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${connection.processor}, key ending in ${connection.keyEnding}`,
    });
    return showConnection(await saveConnection(em, connection));
  });
}
