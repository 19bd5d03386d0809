/** Explains an event's cost, as of now or of a past moment of the ledger. */
import type { EventId } from '#kernel/ids.ts';
import { enumValue } from '#kernel/enum-value.ts';
import { fail } from '#kernel/errors.ts';
import { requireInstant } from '#kernel/time/instant.ts';
import { money, sum } from '#kernel/money.ts';
import { isUuid } from '#kernel/uuid.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { type ExplainedEntry, readEntriesOf } from './cost-entry.table.ts';
import { readEventOutlines } from './event-outline.query.ts';
import { findUnpricedEvent } from './unpriced-event.table.ts';

/** Fails with `NOT_FOUND` if the event does not exist or belongs to another organization. */
export async function explainCost(context: SubgraphContext, eventId: EventId, asOf: string | null) {
  const organizationId = organizationOf(context);
  const instant = asOf === null ? null : requireInstant('asOf', asOf);
  return context.database.snapshot(organizationId, async (tx) => {
    const events = isUuid(eventId) ? await readEventOutlines(tx, organizationId, [eventId]) : [];
    if (events.length === 0) fail('NOT_FOUND', 'Unknown event');
    const entries = await readEntriesOf(
      tx,
      organizationId,
      eventId,
      instant === null ? null : new Date(instant.epochMs),
    );
    const unpriced = entries.length > 0 ? null : await findUnpricedEvent(tx, organizationId, eventId);
    const status = entries.length > 0 ? 'completed' : (unpriced?.status ?? 'pending');
    return {
      eventId,
      status: enumValue(status),
      totalCost: entries.length > 0 ? sum(entries.map(({ totalCost }) => money(totalCost))) : null,
      entries: entries.map(explainEntry),
      reason: unpriced?.reason ?? null,
    };
  });
}

function explainEntry({ explanation, totalCost, modelSlug, ...entry }: ExplainedEntry) {
  return {
    ...entry,
    cause: enumValue(entry.cause),
    totalCost: money(totalCost),
    modelSlug: entry.rateCardId === null ? null : modelSlug,
    tokenReading: explanation.reading ?? null,
    lines: explanation.lines.map(([item, quantity, rate, per, cost, why, model]) => ({
      model: model ?? null,
      class: item,
      quantity,
      rate,
      per: per === 1 ? 'unit' : 'million_tokens',
      cost,
      why: why ?? null,
    })),
  };
}
