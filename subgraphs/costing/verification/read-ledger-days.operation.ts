/** Hands a follower what its facts are compared with: the days of the ledger in order, and what it holds of them. */
import { z } from 'zod';
import { fail } from '../../../schema/errors.ts';
import type { LedgerDay, LedgerDaysPage, LedgerDaySums } from '../../../schema/ledger-days.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { findLedgerDays, readHeads, sumLedgerDays } from './ledger-days.query.ts';

const PAGE_EVENTS_MAX = 100_000;
const DAYS_MAX = 1_000;

const day = z.object({ organizationId: z.uuid(), day: z.iso.date() });

export function listLedgerDays(
  { database }: SubgraphContext,
  request: {
    readonly organizationId?: string | null | undefined;
    readonly after?: unknown;
    readonly eventsMax: number;
  },
): Promise<LedgerDaysPage> {
  const after = request.after === undefined || request.after === null ? null : read(day, request.after);
  const organizationId = request.organizationId ? read(z.uuid(), request.organizationId) : null;
  return database.acrossOrganizations((em) => findLedgerDays(em, organizationId, after, boundedBy(request.eventsMax)));
}

export function sumLedger({ database }: SubgraphContext, days: unknown): Promise<LedgerDaySums[]> {
  const wanted: LedgerDay[] = read(z.array(day).max(DAYS_MAX), days);
  return database.acrossOrganizations(async (em) => {
    const sums = await sumLedgerDays(em, wanted);
    // After the sums: whatever they could see is published by then.
    const heads = await readHeads(em, [...new Set(wanted.map(({ organizationId }) => organizationId))]);
    const headOf = new Map(heads.map(({ organizationId, head }) => [organizationId, head]));
    return sums.map((each) => ({ ...each, head: headOf.get(each.organizationId) ?? 0 }));
  });
}

function boundedBy(max: number): number {
  return max >= 1 && max <= PAGE_EVENTS_MAX ? max : fail('VALIDATION_ERROR', `a page has 1 to ${PAGE_EVENTS_MAX}`);
}

function read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const { data, success } = schema.safeParse(value);
  return success ? data : fail('VALIDATION_ERROR', 'A day is an organizationId and a day, YYYY-MM-DD');
}
