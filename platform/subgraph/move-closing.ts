/** Moves the instant up to which an organization's months are closed (decision 29): the same way in every subgraph that closes some. */
import { addMonths, monthStart } from '../../kernel/time/calendar.ts';
import { fail } from '../../schema/errors.ts';
import { now } from '../clock.ts';
import type { EntityManager } from '../database/open-database.ts';
import { actorOf, type AuditEvent } from './audit-record.ts';
import type { SubgraphContext } from './context.ts';
import { organizationOf } from './organization-of.ts';

/** ISO 8601 UTC; null while nothing is closed. */
export interface ClosedMonths {
  readonly closedUntil: string | null;
}

/** What a subgraph brings: where it keeps the instant, and how it waits for what is being booked. */
export interface Closing {
  /** What is being booked meanwhile is booked before, as it was. */
  hold(em: EntityManager, organizationId: string): Promise<void>;
  find(em: EntityManager, organizationId: string): Promise<string | null>;
  save(em: EntityManager, organizationId: string, until: Date): Promise<void>;
  record(em: EntityManager, event: AuditEvent<'month.closed' | 'month.reopened'>): Promise<void>;
}

/** Closes all months up to and with `through`. Fails with `VALIDATION_ERROR` for a month that has not ended. */
export async function closeMonths(context: SubgraphContext, closing: Closing, through: string): Promise<ClosedMonths> {
  const until = addMonths(parseMonth(through, 'through'), 1);
  if (until > now()) fail('VALIDATION_ERROR', 'Only a month that has ended can be closed');
  return moveClosing(context, closing, { action: 'month.closed', detail: through, until });
}

/** Opens all months from `from` on. What was booked elsewhere meanwhile stays where it was booked. */
export async function reopenMonths(context: SubgraphContext, closing: Closing, from: string): Promise<ClosedMonths> {
  const until = parseMonth(from, 'from');
  return moveClosing(context, closing, { action: 'month.reopened', detail: from, until });
}

interface Move {
  readonly action: 'month.closed' | 'month.reopened';
  readonly detail: string;
  readonly until: Date;
}

/** A move in the other direction changes nothing. */
function moveClosing(context: SubgraphContext, closing: Closing, move: Move): Promise<ClosedMonths> {
  const organizationId = organizationOf(context);
  const { action, detail, until } = move;
  return context.database.forOrganization(organizationId, async (em) => {
    await closing.hold(em, organizationId);
    const before = await closing.find(em, organizationId);
    const beforeMs = before === null ? Number.NEGATIVE_INFINITY : Date.parse(before);
    if (action === 'month.closed' ? until.getTime() <= beforeMs : until.getTime() >= beforeMs)
      return { closedUntil: before };
    await closing.save(em, organizationId, until);
    await closing.record(em, { organizationId, at: now(), action, ...actorOf(context.principal), detail });
    return { closedUntil: await closing.find(em, organizationId) };
  });
}

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/;

/** Its first instant (UTC). */
function parseMonth(text: string, name: string): Date {
  const [, year, month] = MONTH.exec(text) ?? fail('VALIDATION_ERROR', `${name} must be a month such as 2026-03`);
  return monthStart(Number(year), Number(month) - 1);
}
