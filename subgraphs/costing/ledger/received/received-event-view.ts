/** An event as received, with its cost and token convention, as returned to callers. */
import { enumValue } from '#kernel/enum-value.ts';
import { money } from '#kernel/money.ts';
import { readMetadata } from '../../events/read-metadata.ts';
import type { ReceivedEventRow } from './received-events.query.ts';

export function toReceivedEvent(row: ReceivedEventRow) {
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
    status: enumValue(row.status),
    totalCost: row.totalCost === null ? null : money(row.totalCost),
    reading: row.reading,
    reason: row.reason,
    metadata: readMetadata(row),
  };
}
