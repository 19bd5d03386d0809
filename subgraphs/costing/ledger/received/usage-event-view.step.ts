/** Fields of usage events: some were read with the list, and the rest is loaded on demand, in one batch per request. */
import type { EventId } from '#kernel/ids.ts';
import { money } from '#kernel/money.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { readMetadata } from '../../events/read-metadata.ts';
import { EVENT_TYPE, METRIC_NAME } from '../../events/usage-metric.ts';
import type { EventStatus } from '../../resolvers.generated.ts';
import { type ReceivedEventRow, receivedEventsByIds, type UsageEventSource } from './received-events.query.ts';

type Field = (source: UsageEventSource, args: unknown, context: SubgraphContext) => unknown;

/** A usage event whose fields are functions, which GraphQL calls. */
export interface UsageEventView {
  readonly eventId: EventId;
}

export function usageEventView(source: UsageEventSource): UsageEventView {
  const fields = Object.entries(usageEventFields).map(([name, read]) => [
    name,
    (args: unknown, context: SubgraphContext) => read(source, args, context),
  ]);
  return { eventId: source.id, ...(Object.fromEntries(fields) as object) };
}

/** Fails with `NOT_FOUND` if the event does not exist or belongs to another organization. */
export async function loadUsageEvent(context: SubgraphContext, id: string): Promise<UsageEventView> {
  return usageEventView({ id, row: await rowOf({ id }, context) });
}

const usageEventFields = {
  eventType: () => EVENT_TYPE,
  metricName: () => METRIC_NAME,
  quantity: async ({ page, ...event }: UsageEventSource, _: unknown, context: SubgraphContext) =>
    page?.quantity ?? tokensOf(await rowOf(event, context)),
  eventTimestamp: async ({ page, ...event }: UsageEventSource, _: unknown, context: SubgraphContext) =>
    page?.eventTimestamp ?? new Date((await rowOf(event, context)).eventTimeIso),
  metadata: async ({ page, ...event }: UsageEventSource, _: unknown, context: SubgraphContext) =>
    page?.metadata ?? readMetadata(await rowOf(event, context)),
  idempotencyKey: ofRow((row) => row.idempotencyKey),
  livemode: ofRow((row) => row.livemode),
  status: ofRow((row) => STATUSES[row.status] ?? 'PENDING'),
  modelSent: ofRow((row) => row.model),
  providerSent: ofRow((row) => row.provider),
  modelSlug: ofRow((row) => row.modelSlug),
  providerSlug: ofRow((row) => row.providerSlug),
  inputTokens: ofRow((row) => row.inputTokens),
  outputTokens: ofRow((row) => row.outputTokens),
  receivedAt: ofRow((row) => new Date(row.receivedAtIso)),
  totalCost: ofRow((row) => (row.totalCost === null ? null : money(row.totalCost))),
  reading: ofRow((row) => row.reading),
  reason: ofRow((row) => row.reason),
  agentId: ofRow((row) => row.agentId),
  agent: ofRow(({ agentId }) => (agentId === null ? null : { agentId })),
  model: ofRow(({ modelSlug }) => (modelSlug === null ? null : { slug: modelSlug })),
  spanId: ofRow((row) => row.spanId),
  parentSpanId: ofRow((row) => row.parentSpanId),
  endUser: ofRow(({ endUserExternalId: externalId }) => (externalId === null ? null : { externalId })),
  session: ofRow(({ sessionId }) => (sessionId === null ? null : { sessionId })),
  apiKey: ofRow(({ apiKeyId }) => (apiKeyId === null ? null : { id: apiKeyId })),
} satisfies Readonly<Record<string, Field>>;

const STATUSES: Readonly<Record<string, EventStatus>> = {
  completed: 'COMPLETED',
  failed: 'FAILED',
  pending: 'PENDING',
  pending_rate_card: 'PENDING_RATE_CARD',
};

function ofRow<Value>(pick: (row: ReceivedEventRow) => Value) {
  return async (event: UsageEventSource, _: unknown, context: SubgraphContext): Promise<Value> =>
    pick(await rowOf(event, context));
}

function tokensOf({ inputTokens, outputTokens }: ReceivedEventRow): number {
  return inputTokens + outputTokens;
}

async function rowOf({ id, row }: UsageEventSource, context: SubgraphContext): Promise<ReceivedEventRow> {
  const found = row ?? (isUuid(id) ? await load(context, id) : undefined);
  return found ?? fail('NOT_FOUND', 'Unknown event');
}

interface Batch {
  readonly ids: Set<string>;
  readonly rows: Promise<ReadonlyMap<string, ReceivedEventRow>>;
}

/** The batch that still accepts ids, by request. */
const open = new WeakMap<SubgraphContext, Batch>();

async function load(context: SubgraphContext, id: string): Promise<ReceivedEventRow | undefined> {
  const batch = open.get(context) ?? begin(context);
  batch.ids.add(id);
  return (await batch.rows).get(id.toLowerCase());
}

/** The query runs after all current resolvers have added their ids. */
function begin(context: SubgraphContext): Batch {
  const ids = new Set<string>();
  const read = async () => {
    await Promise.resolve();
    open.delete(context);
    const organizationId = organizationOf(context);
    const rows = await context.database.snapshot(organizationId, (tx) =>
      receivedEventsByIds(tx, organizationId, [...ids]),
    );
    return new Map(rows.map((row) => [row.id, row]));
  };
  const batch = { ids, rows: read() };
  open.set(context, batch);
  return batch;
}
