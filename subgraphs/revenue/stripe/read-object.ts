/** Parsers for objects of the processor. */
import { z } from 'zod';
import { UnreadableObject } from './processor-error.ts';

/** The ledger has 15 digits before the decimal point, and some currencies have no minor unit. */
const MINOR_UNITS_MAX = 999_999_999_999_999;

/** Throws an `UnreadableObject` that names the object and the first invalid field. */
export function readObject<Shape extends z.ZodType>(shape: Shape, raw: unknown, name: string): z.infer<Shape> {
  const parsed = shape.safeParse(raw);
  if (parsed.success) return parsed.data;
  const id = typeof raw === 'object' && raw !== null && 'id' in raw ? ` ${String(raw.id).slice(0, 100)}` : '';
  const issue = parsed.error.issues[0];
  throw new UnreadableObject(
    `The payment processor sent something that is not ${name}${id}: ${issue?.path.join('.') || 'it'} ${issue?.message ?? ''}`,
  );
}

/** An id of the processor that PostgreSQL can store and index. */
export const objectId = z
  .string()
  .min(1)
  .max(255)
  .refine((id) => !id.includes('\0'), 'holds a NUL');

/** An id, or the expanded object. */
export const idOf = z
  .union([objectId, z.object({ id: objectId })])
  .transform((value) => (typeof value === 'string' ? value : value.id));

/** Like {@link idOf}, but null without an id. */
export const optionalIdOf = idOf.nullish().transform((value) => value ?? null);

/** The customer of an object. With Accounts v2, only the account may be set. */
export const customerShape = { customer: optionalIdOf, customer_account: optionalIdOf };

/** The customer's id, or its account's id in Accounts v2. */
export function customerOf(object: { customer: string | null; customer_account: string | null }): string | null {
  return object.customer ?? object.customer_account;
}

/** Integer minor units, within the ledger's range in every currency. */
export const minorUnits = z.number().int().min(-MINOR_UNITS_MAX).max(MINOR_UNITS_MAX).transform(BigInt);

/** Seconds since 1970. */
export const epochSeconds = z.number().int().min(0).max(253_402_300_799);

export const currencyCode = z
  .string()
  .regex(/^[A-Za-z]{3}$/)
  .transform((code) => code.toLowerCase());

/** PostgreSQL text cannot contain NUL. */
export function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}

/** A list of the API, in the processor's order. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({ data: z.array(item), has_more: z.boolean().default(false) });
}

/** Id in a field of an unparsed object; null if it is missing. */
export function idOfObject(raw: unknown, field: string): string | null {
  const value = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>)[field] : null;
  return idOf.safeParse(value).data ?? null;
}
