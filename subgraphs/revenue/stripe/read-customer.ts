/** Parses customers of the processor. */
import { z } from 'zod';
import { epochSeconds, objectId, optionalIdOf, readObject, withoutNul } from './read-object.ts';

export interface SyncedCustomer {
  readonly id: string;
  readonly name: string | null;
  /** The `user_id` of usage events, from the customer's metadata (decision 9, D42). */
  readonly externalId: string | null;
  readonly deleted: boolean;
  /** Seconds since 1970, by the processor's clock. */
  readonly created: number | null;
  /** Account id of Accounts v2. Invoices may refer to it instead of the customer. */
  readonly accountId: string | null;
}

const shape = z.object({
  id: objectId,
  name: z.string().nullish(),
  email: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  deleted: z.boolean().nullish(),
  created: epochSeconds.nullish(),
  customer_account: optionalIdOf,
});

/** Uses the e-mail address if the customer has no name. Throws an `UnreadableObject`. */
export function readCustomer(raw: unknown, endUserKey: string): SyncedCustomer {
  const { id, name, email, metadata, deleted, created, customer_account } = readObject(shape, raw, 'a customer');
  const value = metadata && Object.hasOwn(metadata, endUserKey) ? metadata[endUserKey] : null;
  const label = name?.trim() ? name : email?.trim() ? email : null;
  return {
    id,
    name: label === null ? null : withoutNul(label),
    externalId: typeof value === 'string' && value !== '' && !value.includes('\0') ? value : null,
    deleted: deleted ?? false,
    created: created ?? null,
    accountId: customer_account,
  };
}
