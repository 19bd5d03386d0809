/** Lists the sources that send usage to the telemetry endpoints, with the time of their first call and the outcomes. */
import { enumValue } from '#kernel/enum-value.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { TelemetrySource } from '../resolvers.generated.ts';
import { findMapping } from './attribute-mapping.table.ts';
import { LITELLM } from '#usage/counts/reported-cost.ts';
import { listSourceRows, type SourceRow } from './telemetry-source.table.ts';

/** Most recently seen first. */
export async function listTelemetrySources(context: SubgraphContext, livemode: boolean): Promise<TelemetrySource[]> {
  const organizationId = organizationOf(context);
  const { rows, bookedCosts } = await context.database.snapshot(organizationId, async (tx) => ({
    rows: await listSourceRows(tx, organizationId, livemode),
    bookedCosts: (await findMapping(tx, organizationId)).bookedCosts,
  }));
  const bySource = Map.groupBy(rows, ({ door, name, version }) => JSON.stringify([door, name, version]));
  return [...bySource.values()]
    .map((of) => ({ of, last: Math.max(...of.map(({ lastSeenAt }) => new Date(lastSeenAt).getTime())) }))
    .sort((one, other) => other.last - one.last)
    .map(({ of }) => toSource(of, bookedCosts));
}

function toSource(rows: readonly SourceRow[], bookedCosts: readonly string[]): TelemetrySource {
  const [{ door, name, version }] = rows as [SourceRow];
  const times = (of: 'firstSeenAt' | 'lastSeenAt') => rows.map((row) => new Date(row[of]).getTime());
  const count = (outcome: string) => rows.find((row) => row.outcome === outcome)?.count ?? 0;
  const byReason = (kind: string) =>
    rows
      .filter(({ outcome }) => outcome.startsWith(`${kind}:`))
      .map((row) => ({ reason: row.outcome.slice(kind.length + 1), count: row.count }));
  return {
    endpoint: enumValue(door),
    name,
    version,
    firstSeenAt: new Date(Math.min(...times('firstSeenAt'))),
    lastSeenAt: new Date(Math.max(...times('lastSeenAt'))),
    billed: count('billed'),
    duplicates: count('duplicate'),
    ignored: byReason('ignored'),
    rejected: byReason('rejected'),
    isCostBooked: door !== 'provider-responses' && bookedCosts.includes(door === LITELLM ? LITELLM : name),
  };
}
