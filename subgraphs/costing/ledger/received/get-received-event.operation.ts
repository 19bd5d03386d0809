/** Finds the event accepted under an idempotency key, in live or in test mode. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { toReceivedEvent } from './received-event-view.ts';
import { receivedEventOfKey } from './received-events.query.ts';

/** Null if no event has the key. */
export async function getReceivedEvent(
  context: SubgraphContext,
  { idempotencyKey, livemode }: { readonly idempotencyKey: string; readonly livemode: boolean },
) {
  const organizationId = organizationOf(context);
  // Idempotency keys never contain NUL.
  if (idempotencyKey.includes('\0')) return null;
  const row = await context.database.find(organizationId, (tx) =>
    receivedEventOfKey(tx, { organizationId, livemode, idempotencyKey }),
  );
  return row && toReceivedEvent(row);
}
