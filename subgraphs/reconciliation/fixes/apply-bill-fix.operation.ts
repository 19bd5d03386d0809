/** Applies a fix to a difference, or previews its effect. */
import { plain, ZERO } from '#kernel/money.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#kernel/errors.ts';
import { NOTE_LENGTH_MAX } from '../config.ts';
import { tokenClassOf } from '../books/token-class-of.ts';
import { toFixView } from '../days/bill-day-view.ts';
import type { BillFixApplication, BillFixApplyInput } from '../resolvers.generated.ts';
import type { BillFixRow } from '../decisions/bill-fix.table.ts';
import { isUnfinished } from '../decisions/is-unfinished.ts';
import { adjustBooks, unbookedFix } from './adjust-books.step.ts';
import { previewDiscount } from './agree-discount.step.ts';
import { claimFix, unfinishedFix } from './claim-fix.step.ts';
import { differenceKey, findDifference } from './find-difference.step.ts';
import { proposeFixes, type ProposedFix } from './propose-fixes.ts';
import { repairBooks } from './repair-books.step.ts';

/**
 * Only a currently proposed fix can be applied. Costing sets rates and discounts, with the caller's own rights. If their
 * repricing cannot be started, applying the fix again continues it. Fails with `NOT_FOUND` for an unknown difference and
 * `VALIDATION_ERROR` for a fix that is not proposed or is being applied.
 */
export async function applyBillFix(
  context: SubgraphContext,
  gateway: GatewayClient,
  input: BillFixApplyInput,
): Promise<BillFixApplication> {
  const organizationId = organizationOf(context);
  const note = noteOf(input);
  const { day, difference } = await findDifference(context, gateway, differenceKey(input));
  const proposal = proposeFixes(day, difference).find((candidate) => isWanted(candidate, input));
  if (proposal === undefined)
    return fail('VALIDATION_ERROR', `kind ${input.kind} is not proposed for this difference: see billFixPropose`);
  // A difference in an unknown currency has no amount.
  const [before, explained] = [difference.difference ?? ZERO, difference.difference === null ? ZERO : proposal.amount];
  const effect = { difference: plain(before), explained: plain(explained), remaining: plain(before.minus(explained)) };
  const { model, unit, lastDay } = difference;
  const { discount } = proposal;
  const { principal } = context;
  if (input.dryRun) {
    const bookedChange =
      discount === null ? null : await previewDiscount(principal, gateway, { day: day.day, discount });
    return { fix: null, ...effect, bookedChange };
  }
  const at = now();
  const detail = `${proposal.title}: ${day.day}, ${plain(proposal.amount)}`;
  const fix: BillFixRow = {
    organizationId,
    id: uuidsV7(1)[0]!,
    connectionId: day.connection.id,
    kind: proposal.kind,
    day: day.day,
    lastDay,
    model,
    unit,
    amount: proposal.amount.toFixed(),
    scope: proposal.scope,
    cause: proposal.cause,
    note,
    rateCardId: null,
    agreementId: null,
    operationId: null,
    appliedAt: at,
    appliedBy: principal.accountUserId,
    revertedAt: null,
  };
  const claimed = { ...fix, appliedAt: at.toISOString(), revertedAt: null };
  if (fix.kind === 'ADJUST') {
    const unbooked = unbookedFix(day, fix);
    if (unbooked === null) await claimFix(context, fix, { seen: day.fixes, detail });
    const booked = unbooked ?? claimed;
    await adjustBooks(context, gateway, day, booked);
    return { fix: toFixView(booked), ...effect, bookedChange: null };
  }
  const unfinished = unfinishedFix(claimed, day.fixes);
  if (unfinished === null) await claimFix(context, fix, { seen: day.fixes, detail });
  const applied = isUnfinished(claimed)
    ? await repairBooks(context, gateway, unfinished ?? claimed, { day, model, proposal, detail })
    : claimed;
  return { fix: toFixView(applied), ...effect, bookedChange: null };
}

function noteOf({ kind, note }: BillFixApplyInput): string {
  const text = (note ?? '').trim();
  if (text.length > NOTE_LENGTH_MAX) fail('VALIDATION_ERROR', `note must have at most ${NOTE_LENGTH_MAX} characters`);
  if ((kind === 'ACCEPT' || kind === 'ADJUST') && text === '')
    fail('VALIDATION_ERROR', `note is required to ${kind === 'ACCEPT' ? 'accept' : 'book'} a difference`);
  return text;
}

function isWanted(candidate: ProposedFix, { kind, scope, cause, tokenClass }: BillFixApplyInput): boolean {
  if (candidate.kind !== kind) return false;
  if (kind === 'ADJUST') return candidate.cause === (cause ?? null);
  if (kind === 'UNTRACK') return candidate.scope === scope;
  return kind !== 'RATE' || typeof tokenClass !== 'string' || candidate.tokenClass === tokenClassOf(tokenClass);
}
