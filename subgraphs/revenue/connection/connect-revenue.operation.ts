/** Connects an account at the payment processor after testing its key. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { databaseTime } from '#platform/database/sql.ts';
import { randomUuid } from '#platform/random.ts';
import type { Sealing } from '#platform/seal.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { CONNECTION_SEAL, FIRST_SYNC_DELAY_SECONDS } from '../config.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { forgetCursors } from '../sync/runs/sync-cursor.table.ts';
import { abandonRuns } from '../sync/runs/sync-run.table.ts';
import { markCustomersGone } from '../customers/customer.table.ts';
import { forgetFees } from '../records/charge.table.ts';
import { forgetInvoices } from '../records/invoice.table.ts';
import { withdrawAllRecords } from '../records/revenue-record.table.ts';
import { clearAllSetAside } from '../set-aside/set-aside-object.table.ts';
import { tryKey } from '../stripe/try-key.ts';
import { failByProcessor } from '../stripe/fail-by-processor.ts';
import { holdConnection, saveConnection } from './payment-connection.table.ts';
import { type ConnectionView, toConnectionView } from './connection-view.ts';

/**
 * Replaces an earlier connection. Its records and links stay, and the first sync reads everything. If a live-mode key
 * replaces a test-mode key or vice versa, all records are withdrawn: the two modes share no objects, and test payments
 * must not stay in the figures.
 */
export async function connectRevenue(
  context: SubgraphContext,
  args: ConnectInput,
  sealing: Sealing,
  defaultApiBase: string | null = null,
): Promise<ConnectionView> {
  const organizationId = organizationOf(context);
  if (context.principal.sampleOf !== undefined) fail('FORBIDDEN', 'Sample data cannot be connected to an account');
  const read = readConnectInput(args, context.principal.grants.includes('operator'));
  const input = { ...read, apiBase: read.apiBase ?? defaultApiBase };
  await tryKey(input.apiKey, input.apiBase).catch(failByProcessor);
  return context.database.write(organizationId, async (tx) => {
    const known = await holdConnection(tx, organizationId);
    const id = known?.id ?? randomUuid();
    const at = await databaseTime(tx);
    const connection = {
      organizationId,
      id,
      processor: 'stripe' as const,
      apiBase: input.apiBase,
      endUserKey: input.endUserKey,
      sealedKey: sealing.seal(input.apiKey, CONNECTION_SEAL, id),
      keyEnding: input.apiKey.slice(-4),
      keyMode: keyModeOf(input.apiKey),
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
    await abandonRuns(tx, organizationId, at);
    await forgetCursors(tx, organizationId);
    const isOtherMode =
      known !== null && known.keyMode !== null && connection.keyMode !== null && known.keyMode !== connection.keyMode;
    if (isOtherMode) {
      await withdrawAllRecords(tx, organizationId, at);
      await clearAllSetAside(tx, organizationId);
      await forgetInvoices(tx, organizationId);
      await forgetFees(tx, organizationId);
      await markCustomersGone(tx, organizationId);
    }
    await recordAudit(tx, {
      organizationId,
      at,
      action: known === null ? 'connection.created' : 'connection.replaced',
      ...actorOf(context.principal),
      subjectId: id,
      detail: `${connection.processor}, key ending in ${connection.keyEnding}${isOtherMode ? ', records of the other mode withdrawn' : ''}`,
    });
    return toConnectionView(await saveConnection(tx, connection));
  });
}

interface ConnectInput {
  readonly processor: string;
  readonly apiKey: string;
  readonly apiBase: string | null;
  readonly endUserKey: string;
}

/**
 * Validates the input; fails with `VALIDATION_ERROR`. Only an operator may set `apiBase`: anyone else could make the
 * service send requests into its own network.
 */
function readConnectInput(input: ConnectInput, isOperator: boolean): ConnectInput {
  if (input.processor !== 'stripe') fail('VALIDATION_ERROR', 'processor must be stripe');
  if (!/^[\x21-\x7e]{1,255}$/.test(input.apiKey))
    fail('VALIDATION_ERROR', 'apiKey must be 1 to 255 visible characters');
  if (!/^[^\0]{1,40}$/u.test(input.endUserKey)) fail('VALIDATION_ERROR', 'endUserKey must be 1 to 40 characters');
  if (input.apiBase === null) return input;
  if (!isOperator) fail('FORBIDDEN', 'Only an operator may set apiBase');
  return { ...input, apiBase: readOrigin(input.apiBase) };
}

/** Stripe's keys begin with `sk_test_`, `rk_test_`, `sk_live_` or `rk_live_`. */
function keyModeOf(key: string): 'live' | 'test' | null {
  const [, mode] = /^[sr]k_(live|test)_/.exec(key) ?? [];
  return mode === 'live' || mode === 'test' ? mode : null;
}

function readOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin =
    url !== null &&
    ['http:', 'https:'].includes(url.protocol) &&
    url.username === '' &&
    url.password === '' &&
    /^\/*$/.test(url.pathname) &&
    url.search === '' &&
    url.hash === '';
  return isOrigin
    ? url.origin
    : fail('VALIDATION_ERROR', 'apiBase must be an origin such as https://api.example.com, without /v1');
}
