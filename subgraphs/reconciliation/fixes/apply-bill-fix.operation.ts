/** Applies a fix to a difference, or shows what it would do. */
import { plain, ZERO } from '#kernel/money.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#schema/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { NOTE_LENGTH_MAX, UNTRACKED_SCOPES_MAX } from '../config.ts';
import { tokenClassOf } from '../books/token-class-of.ts';
import { holdConnection, saveConnection } from '../connections/bill-connection.table.ts';
import { toFixView } from '../days/bill-day-view.ts';
import type { BillFixApplication, BillFixApplyInput } from '../resolvers.generated.ts';
import { type BillFixRow, insertFix } from '../decisions/bill-fix.table.ts';
import { agreeDiscount, previewDiscount } from './agree-discount.step.ts';
import { differenceKey, findDifference } from './find-difference.step.ts';
import { proposeFixes, type ProposedFix } from './propose-fixes.ts';
import { negotiateRate } from './negotiate-rate.step.ts';

/**
 * Only a currently proposed fix can be applied. Costing sets rates and discounts, with the caller's own rights. Fails with `NOT_FOUND`
 * for an unknown difference and `VALIDATION_ERROR` for a fix that is not proposed.
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
  const repair =
    discount !== null
      ? await agreeDiscount(principal, gateway, { day: day.day, discount })
      : proposal.kind === 'RATE'
        ? await negotiateRate(context, gateway, { day, model: model!, proposal })
        : null;
  const at = now();
  const fix: BillFixRow = {
    organizationId,
    id: uuidsV7(1)[0]!,
    connectionId: input.connectionId,
    kind: proposal.kind,
    day: day.day,
    lastDay,
    model,
    unit,
    amount: proposal.amount.toFixed(),
    scope: proposal.scope,
    note,
    rateCardId: repair?.rateCardId ?? null,
    agreementId: repair?.agreementId ?? null,
    operationId: repair?.operationId ?? null,
    appliedAt: at,
    appliedBy: principal.accountUserId,
    revertedAt: null,
  };
  await context.database.write(organizationId, async (tx) => {
    if (proposal.kind === 'UNTRACK') {
      const connection = await holdConnection(tx, organizationId, input.connectionId);
      if (connection === null) return fail('NOT_FOUND', 'connectionId: bill connection not found');
      const untrackedScopes = [...new Set([...connection.untrackedScopes, proposal.scope!])];
      if (untrackedScopes.length > UNTRACKED_SCOPES_MAX)
        fail('VALIDATION_ERROR', `scope: at most ${UNTRACKED_SCOPES_MAX} scopes can be marked as not tracked`);
      await saveConnection(tx, { ...connection, untrackedScopes, updatedAt: at });
    }
    await insertFix(tx, fix);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'bill_fix.applied',
      ...actorOf(principal),
      subjectId: fix.id,
      detail: `${proposal.title}: ${day.day}, ${plain(proposal.amount)}`,
    });
  });
  return { fix: toFixView({ ...fix, appliedAt: at.toISOString(), revertedAt: null }), ...effect, bookedChange: null };
}

function noteOf({ kind, note }: BillFixApplyInput): string {
  const text = (note ?? '').trim();
  if (text.length > NOTE_LENGTH_MAX) fail('VALIDATION_ERROR', `note must have at most ${NOTE_LENGTH_MAX} characters`);
  if (kind === 'ACCEPT' && text === '') fail('VALIDATION_ERROR', 'note is required to accept a difference');
  return text;
}

function isWanted(candidate: ProposedFix, { kind, scope, tokenClass }: BillFixApplyInput): boolean {
  if (candidate.kind !== kind) return false;
  if (kind === 'UNTRACK') return candidate.scope === scope;
  return kind !== 'RATE' || typeof tokenClass !== 'string' || candidate.tokenClass === tokenClassOf(tokenClass);
}
