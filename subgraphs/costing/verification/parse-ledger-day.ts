/** Parses days of the ledger sent by a consumer. Fails with `VALIDATION_ERROR`. */
import { z } from 'zod';
import { fail } from '#kernel/errors.ts';
import type { LedgerDay } from '#schema/ledger-days.ts';

const DAYS_MAX = 1_000;

const day = z.object({ organizationId: z.uuid(), day: z.iso.date() });

export function parseLedgerDay(value: unknown): LedgerDay {
  return read(day, value);
}

/** Parses at most a thousand days. */
export function parseLedgerDays(value: unknown): LedgerDay[] {
  return read(z.array(day).max(DAYS_MAX), value);
}

export function parseOrganizationId(value: unknown): string {
  return read(z.uuid(), value);
}

function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const { data, success } = schema.safeParse(value);
  return success ? data : fail('VALIDATION_ERROR', 'A day must have an organizationId and a day, YYYY-MM-DD');
}
