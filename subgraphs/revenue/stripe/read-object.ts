/** Reads an object of the processor by its shape, or says what it is not. */
import { z } from 'zod';
import { UnreadableObject } from './processor-error.ts';

/** The ledger has 15 digits before the point, and some currencies have no smaller unit. */
const MINOR_UNITS_MAX = 999_999_999_999_999;

/** Stops with an `UnreadableObject` that names the object and the first field that does not fit. */
export function readObject<Shape extends z.ZodType>(shape: Shape, raw: unknown, name: string): z.infer<Shape> {
  const parsed = shape.safeParse(raw);
  if (parsed.success) return parsed.data;
  const id = typeof raw === 'object' && raw !== null && 'id' in raw ? ` ${String(raw.id).slice(0, 100)}` : '';
  const issue = parsed.error.issues[0];
  throw new UnreadableObject(
    `The payment processor sent something that is not ${name}${id}: ${issue?.path.join('.') || 'it'} ${issue?.message ?? ''}`,
  );
}

/** An id of the processor: what PostgreSQL keeps and indexes. */
export const objectId = z
  .string()
  .min(1)
  .max(255)
  .refine((id) => !id.includes('\0'), 'holds a NUL');

/** An id, or the object that was expanded in its place. */
export const idOf = z
  .union([objectId, z.object({ id: objectId })])
  .transform((value) => (typeof value === 'string' ? value : value.id));

/** The same where there may be none. */
export const optionalIdOf = idOf.nullish().transform((value) => value ?? null);

/** The customer of an object: by Accounts v2 only an account names it. */
export const customerShape = { customer: optionalIdOf, customer_account: optionalIdOf };

export function customerOf(object: { customer: string | null; customer_account: string | null }): string | null {
  return object.customer ?? object.customer_account;
}

/** Whole minor units; in every currency an amount that the ledger holds. */
export const minorUnits = z.number().int().min(-MINOR_UNITS_MAX).max(MINOR_UNITS_MAX).transform(BigInt);

/** Seconds since 1970. */
export const epochSeconds = z.number().int().min(0).max(253_402_300_799);

export const currencyCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/)
  .transform((code) => code.toLowerCase());

/** PostgreSQL keeps no NUL in text. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

/** Positions in a list are kept as the processor sends them. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), has_more: z.boolean().default(false) });
}

/** An id that an object names, whatever else it is; null where it names none. */
export function idOfObject(raw: unknown, field: string): string | null {
  const value = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>)[field] : null;
  return idOf.safeParse(value).data ?? null;
}
