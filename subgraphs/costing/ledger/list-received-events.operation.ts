/** What arrives: events by receipt with cost and reading, of live keys or of test keys. */
import { money } from '../../../kernel/money.ts';
import { isUuid } from '../../../kernel/uuid.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { readMetadata } from '../events/read-metadata.ts';
import { receivedEventOfKey, receivedEvents, type ReceivedEventRow } from './received-events.query.ts';

export interface ReceivedEventsRequest {
  readonly livemode: boolean;
  readonly after?: string | null | undefined;
  readonly limit: number;
}

const EVENTS_MAX = 200;

/** Fails with `VALIDATION_ERROR` outside `1 … 200`. */
export async function listReceivedEvents(
  context: SubgraphContext,
  { livemode, after = null, limit }: ReceivedEventsRequest,
) {
  const organizationId = organizationOf(context);
  if (limit < 1 || limit > EVENTS_MAX) fail('VALIDATION_ERROR', `limit must be an integer from 1 to ${EVENTS_MAX}`);
  if (after !== null && !isUuid(after)) fail('VALIDATION_ERROR', 'after must be the id of an event');
  const page = { organizationId, livemode, limit };
  const rows = await context.database.read(organizationId, (tx) => receivedEvents(tx, page, after));
  return rows.map(toReceivedEvent);
}

/** Null where no event has the key. */
export async function getReceivedEvent(
  context: SubgraphContext,
  { idempotencyKey, livemode }: { readonly idempotencyKey: string; readonly livemode: boolean },
) {
  const organizationId = organizationOf(context);
  // No event's key holds one.
  if (idempotencyKey.includes('\0')) return null;
  const row = await context.database.read(organizationId, (tx) =>
    receivedEventOfKey(tx, { organizationId, livemode, idempotencyKey }),
  );
  return row && toReceivedEvent(row);
}

function toReceivedEvent(row: ReceivedEventRow) {
  return {
    id: row.id,
    idempotencyKey: row.idempotencyKey,
    livemode: row.livemode,
    model: row.model,
    provider: row.provider,
    endUserExternalId: row.endUserExternalId,
    agentId: row.agentId,
    sessionId: row.sessionId,
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    eventTimestamp: new Date(row.eventTimeIso),
    receivedAt: new Date(row.receivedAtIso),
    status: row.status,
    totalCost: row.totalCost === null ? null : money(row.totalCost),
    reading: row.reading,
    reason: row.reason,
    metadata: readMetadata(row),
  };
}
