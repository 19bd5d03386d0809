/** What is kept of a subscription at the processor. */
import { z } from 'zod';
import { epochSeconds, optionalIdOf, readObject } from './read-object.ts';

export interface SyncedSubscription {
  readonly id: string;
  readonly customerId: string | null;
  readonly status: string;
  /** Seconds since 1970, by the processor's clock. */
  readonly created: number | null;
}

const shape = z.object({
  id: z.string().min(1),
  customer: optionalIdOf,
  status: z.string().default('unknown'),
  created: epochSeconds.nullish(),
});

export function readSubscription(raw: unknown): SyncedSubscription {
  const { id, customer, status, created } = readObject(shape, raw, 'a subscription');
  return { id, customerId: customer, status, created: created ?? null };
}
