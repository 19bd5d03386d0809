/** Moves the instant up to which an organization's costs are closed. */
import { startOfMonth } from '../../../kernel/time/closed-months.ts';
import { now } from '../../../platform/clock.ts';
import { liftTimeLimit } from '../../../platform/database/sql.ts';
import { actorOf } from '../../../platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { lockRates } from '../rates/rate-generation.table.ts';
import type { Closing } from '../resolvers.generated.ts';
import { findClosedUntil, saveClosedUntil } from './cost-closing.table.ts';

interface Move {
  readonly action: 'month.closed' | 'month.reopened';
  readonly detail: string;
  readonly until: Date;
  readonly isForward: boolean;
}

/** What is being priced meanwhile is booked before, as it was. A move in the other direction changes nothing. */
export function moveClosing(context: SubgraphContext, { action, detail, until, isForward }: Move): Promise<Closing> {
  const organizationId = organizationOf(context);
  return context.database.forOrganization(organizationId, async (em) => {
    await liftTimeLimit(em);
    await lockRates(em);
    const before = await findClosedUntil(em, organizationId);
    const beforeMs = before === null ? Number.NEGATIVE_INFINITY : Date.parse(before);
    if (isForward ? until.getTime() <= beforeMs : until.getTime() >= beforeMs) return { closedUntil: before };
    await saveClosedUntil(em, organizationId, until);
    await recordAudit(em, { organizationId, at: now(), action, ...actorOf(context.principal), detail });
    return { closedUntil: await findClosedUntil(em, organizationId) };
  });
}

export function parseMonth(text: string, name: string): Date {
  return startOfMonth(text) ?? fail('VALIDATION_ERROR', `${name} must be a month such as 2026-03`);
}
