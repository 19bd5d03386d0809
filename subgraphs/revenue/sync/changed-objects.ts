/** Objects named by the processor's events. They are fetched again; the event's own data is ignored. */
import { z } from 'zod';
import { idOf, optionalIdOf, readObject } from '../stripe/read-object.ts';
import type { ProcessorList } from '../stripe/sync-stages.ts';

export interface ChangedObject {
  readonly list: ProcessorList;
  readonly id: string;
}

const LIST_OF: Readonly<Record<string, ProcessorList>> = {
  customer: 'customers',
  subscription: 'subscriptions',
  invoice: 'invoices',
  credit_note: 'credit_notes',
  refund: 'refunds',
  dispute: 'disputes',
};

const shape = z.object({
  data: z.object({
    object: z.object({
      id: z.string().nullish(),
      object: z.string().nullish(),
      invoice: optionalIdOf.catch(null),
      refunds: z
        .object({ data: z.array(z.object({ id: idOf })) })
        .nullish()
        .catch(null),
    }),
  }),
});

/**
 * An event about an invoice payment changes the invoice. An event about a charge changes the charge and its refunds.
 * Throws `UnreadableObject`.
 */
export function changedObjects(event: unknown): ChangedObject[] {
  const { object } = readObject(shape, event, 'an event').data;
  const list = LIST_OF[object.object ?? ''];
  if (list !== undefined && object.id) return [{ list, id: object.id }];
  if (object.object === 'invoice_payment' && object.invoice !== null) return [{ list: 'invoices', id: object.invoice }];
  if (object.object === 'charge') {
    const refunds = (object.refunds?.data ?? []).map(({ id }): ChangedObject => ({ list: 'refunds', id }));
    return object.id ? [{ list: 'charges', id: object.id }, ...refunds] : refunds;
  }
  return [];
}
