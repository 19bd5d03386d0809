/** Hands a follower what its facts are compared with: days that have changed, days in order, and what the ledger holds of them. */
import { z } from 'zod';
import { fail } from '../../../schema/errors.ts';
import type { ChangedDays, LedgerDay, LedgerDaysPage, LedgerSums } from '../../../schema/ledger-days.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { findChangedDays, findLedgerDays, isReached, readSnapshot, sumLedgerDays } from './ledger-days.query.ts';

const PAGE_EVENTS_MAX = 100_000;
const DAYS_MAX = 1_000;

const day = z.object({ organizationId: z.uuid(), day: z.iso.date() });

export function listChangedDays(
  { database }: SubgraphContext,
  { since, entriesMax }: { readonly since?: string | null | undefined; readonly entriesMax: number },
): Promise<ChangedDays> {
  if (since && !/^\d{1,20}$/.test(since)) fail('VALIDATION_ERROR', 'since must be the `next` of an earlier answer');
  return database.acrossOrganizations((em) => findChangedDays(em, since ?? null, boundedBy(entriesMax)));
}

export function listLedgerDays(
  { database }: SubgraphContext,
  request: { readonly organizationId?: string | null | undefined; readonly after?: unknown; readonly eventsMax: number },
): Promise<LedgerDaysPage> {
  const after = request.after === undefined || request.after === null ? null : read(day, request.after);
  const organizationId = request.organizationId ? read(z.uuid(), request.organizationId) : null;
  return database.acrossOrganizations((em) => findLedgerDays(em, organizationId, after, boundedBy(request.eventsMax)));
}

export function sumLedger({ database }: SubgraphContext, days: unknown): Promise<LedgerSums> {
  const asked: LedgerDay[] = read(z.array(day).max(DAYS_MAX), days);
  return database.acrossOrganizations(async (em) => {
    const sums = await sumLedgerDays(em, asked);
    // After the sums: whatever they could see lies before it.
    return { sums, snapshot: await readSnapshot(em) };
  });
}

export function hasReached(
  { database }: SubgraphContext,
  { follower, snapshot }: { readonly follower: string; readonly snapshot: string },
): Promise<boolean> {
  if (!/^\d{1,20}$/.test(snapshot)) fail('VALIDATION_ERROR', 'snapshot must be that of an earlier answer');
  return database.acrossOrganizations((em) => isReached(em, follower, snapshot));
}

function boundedBy(max: number): number {
  return max >= 1 && max <= PAGE_EVENTS_MAX ? max : fail('VALIDATION_ERROR', `a page has 1 to ${PAGE_EVENTS_MAX}`);
}

function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const { data, success } = schema.safeParse(value);
  return success ? data : fail('VALIDATION_ERROR', 'A day is an organizationId and a day, YYYY-MM-DD');
}
