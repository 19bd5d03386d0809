/** Adds a pack of events to the organization's credits (decision 9, D13). */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import { randomUuid } from '#platform/random.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { addMonths } from '#kernel/time/calendar.ts';
import { fail } from '#kernel/errors.ts';
import { PACK_MONTHS } from '../config.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { lockCredits, openCreditAccount } from './credit-account.table.ts';
import { addPack } from './event-pack.table.ts';
import { type CreditBalance, creditBalance } from './credit-balance.ts';
import { requireCount, requireInstant } from './plan-of.ts';

export interface PackRequest {
  readonly events: number;
  readonly expiresAt?: string | null | undefined;
}

export interface AddedPack {
  readonly packId: string;
  readonly expiresAt: Date;
  readonly credits: CreditBalance;
}

/** Fails with `VALIDATION_ERROR` for an empty or expired pack. */
export async function addEventPack(context: SubgraphContext, request: PackRequest): Promise<AddedPack> {
  const organizationId = organizationOf(context);
  const at = now();
  requireCount('events', request.events);
  if (request.events === 0) fail('VALIDATION_ERROR', 'events must be at least 1');
  const { expiresAt: input } = request;
  const expiresAt =
    input === undefined || input === null ? addMonths(at, PACK_MONTHS) : requireInstant('expiresAt', input);
  if (expiresAt <= at) fail('VALIDATION_ERROR', 'expiresAt must be in the future');
  const packId = randomUuid();

  return context.database.write(organizationId, async (tx) => {
    await openCreditAccount(tx, organizationId);
    await lockCredits(tx, organizationId);
    await addPack(tx, organizationId, { id: packId, events: request.events, addedAt: at, expiresAt });
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'event_pack.added',
      ...actorOf(context.principal),
      subjectId: packId,
      detail: `${request.events} events until ${expiresAt.toISOString()}`,
    });
    const { account, softLimit } = await lockCredits(tx, organizationId);
    return { packId, expiresAt, credits: creditBalance(organizationId, account, softLimit, at) };
  });
}
