/** Closes and reopens an organization's months (decision 29). Shared by all subgraphs with closable months. */
import type { OrganizationId } from '#kernel/ids.ts';
import { addMonths, monthStart } from '#kernel/time/calendar.ts';
import { fail } from '#kernel/errors.ts';
import { now } from '../clock.ts';
import type { WriteTransaction } from '../database/transaction.ts';
import { actorOf, type AuditEvent } from './audit-record.ts';
import type { SubgraphContext } from './context.ts';
import { organizationOf } from './organization-of.ts';

/** ISO 8601 UTC; null if no month is closed. */
export interface ClosedMonths {
  readonly closedUntil: string | null;
}

/** What a subgraph provides: storage of the closing instant, and waiting for bookings in progress. */
export interface Closing {
  /** Bookings in progress finish first, under the old closing. */
  hold(tx: WriteTransaction, organizationId: OrganizationId): Promise<void>;
  find(tx: WriteTransaction, organizationId: OrganizationId): Promise<string | null>;
  save(tx: WriteTransaction, organizationId: OrganizationId, until: Date): Promise<void>;
  record(tx: WriteTransaction, event: AuditEvent<'month.closed' | 'month.reopened'>): Promise<void>;
}

/** Closes all months up to and including `through`. Fails with `VALIDATION_ERROR` if that month is not over. */
export async function closeMonths(context: SubgraphContext, closing: Closing, through: string): Promise<ClosedMonths> {
  const until = addMonths(parseMonth(through, 'through'), 1);
  if (until > now()) fail('VALIDATION_ERROR', 'Only a month that has ended can be closed');
  return moveClosing(context, closing, { action: 'month.closed', detail: through, until });
}

/** Reopens all months from `from`. Amounts booked in other months stay there. */
export async function reopenMonths(context: SubgraphContext, closing: Closing, from: string): Promise<ClosedMonths> {
  const until = parseMonth(from, 'from');
  return moveClosing(context, closing, { action: 'month.reopened', detail: from, until });
}

interface Move {
  readonly action: 'month.closed' | 'month.reopened';
  readonly detail: string;
  readonly until: Date;
}

/** Closing never reopens a month, and reopening never closes one: such a request changes nothing. */
function moveClosing(context: SubgraphContext, closing: Closing, move: Move): Promise<ClosedMonths> {
  const organizationId = organizationOf(context);
  const { action, detail, until } = move;
  return context.database.write(organizationId, async (tx) => {
    await closing.hold(tx, organizationId);
    const before = await closing.find(tx, organizationId);
    const beforeMs = before === null ? Number.NEGATIVE_INFINITY : Date.parse(before);
    if (action === 'month.closed' ? until.getTime() <= beforeMs : until.getTime() >= beforeMs)
      return { closedUntil: before };
    await closing.save(tx, organizationId, until);
    await closing.record(tx, { organizationId, at: now(), action, ...actorOf(context.principal), detail });
    return { closedUntil: await closing.find(tx, organizationId) };
  });
}

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** Start of the month (UTC). */
function parseMonth(text: string, name: string): Date {
  const [, year, month] = MONTH.exec(text) ?? fail('VALIDATION_ERROR', `${name} must be a month such as 2026-03`);
  return monthStart(Number(year), Number(month) - 1);
}
