/** Lists the accounts, workspaces, projects and keys on the bills of a window, and which of them do not report. */
import { plain, sum } from '#kernel/money.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { LINES_MAX } from '../config.ts';
import { listConnections } from '../connections/bill-connection.table.ts';
import { billedOf } from '../comparison/compared-group.ts';
import { listLines } from '../pulls/bill-line.table.ts';
import type { BillScope, QueryBillScopesArgs } from '../resolvers.generated.ts';
import { compareDays } from './compare-days.step.ts';
import { requestedDays } from './requested-days.ts';

/** Scopes by billed amount, largest first. */
export async function listBillScopes(
  context: SubgraphContext,
  gateway: GatewayClient,
  { start, end, connectionId }: QueryBillScopesArgs,
): Promise<BillScope[]> {
  const organizationId = organizationOf(context);
  const window = requestedDays({ start, end });
  const days = await compareDays(context, gateway, organizationId, window, connectionId ?? null);
  const silent = Map.groupBy(
    days.flatMap(({ connection, differences, day }) =>
      differences.flatMap(({ causes }) =>
        causes
          .filter(({ cause }) => cause === 'SILENT_SCOPE')
          .flatMap(({ scopes = [] }) => scopes.map((scope) => ({ key: `${connection.id} ${scope}`, day }))),
      ),
    ),
    ({ key }) => key,
  );
  const { connections, lines } = await context.database.entitySnapshot(organizationId, async (tx) => ({
    connections: await listConnections(tx, organizationId),
    lines: await listLines(tx, { organizationId, ...window, connectionId: connectionId ?? null, max: LINES_MAX }),
  }));
  return connections
    .flatMap((connection) => {
      const named = (lines.get(connection.id) ?? []).flatMap((line) => line.scopes.map((scope) => ({ scope, line })));
      return [...Map.groupBy(named, ({ scope }) => scope)].map(([scope, own]) => ({
        amount: sum(own.map(({ line }) => billedOf(line))),
        connectionId: connection.id,
        scope,
        currencies: [...new Set(own.map(({ line }) => line.currency))].sort(),
        isTracked: !connection.untrackedScopes.includes(scope),
        silentDays: new Set(silent.get(`${connection.id} ${scope}`)?.map(({ day }) => day)).size,
      }));
    })
    .sort((one, other) => other.amount.comparedTo(one.amount) || (one.scope < other.scope ? -1 : 1))
    .map(({ amount, ...scope }) => ({ ...scope, billed: plain(amount) }));
}
