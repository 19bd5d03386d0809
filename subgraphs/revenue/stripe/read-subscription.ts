/** Parses subscriptions of the processor. */
import { z } from 'zod';
import { customerOf, customerShape, epochSeconds, objectId, readObject, withoutNul } from './read-object.ts';

export interface SyncedSubscription {
  readonly id: string;
  readonly customerId: string | null;
  readonly status: string;
  /** Seconds since 1970, by the processor's clock. */
  readonly created: number | null;
}

const shape = z.object({
  id: objectId,
  ...customerShape,
  status: z.string().default('unknown').transform(withoutNul),
  created: epochSeconds.nullish(),
});

/** Throws an `UnreadableObject`. */
export function readSubscription(raw: unknown): SyncedSubscription {
  const { id, status, created, ...customer } = readObject(shape, raw, 'a subscription');
  return { id, customerId: customerOf(customer), status, created: created ?? null };
}
