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
import { findDifference } from './find-difference.step.ts';
import { proposeFixes, type ProposedFix } from './propose-fixes.ts';
import { negotiateRate } from './negotiate-rate.step.ts';

/**
 * Only a currently proposed fix can be applied. Costing sets rates, with the caller's own rights. Fails with `NOT_FOUND`
 * for an unknown difference and `VALIDATION_ERROR` for a fix that is not proposed.
 */
export async function applyBillFix(
  context: SubgraphContext,
  gateway: GatewayClient,
  input: BillFixApplyInput,
): Promise<BillFixApplication> {
  const organizationId = organizationOf(context);
  const model = input.model ?? null;
  const note = noteOf(input);
  const { day, difference } = await findDifference(context, gateway, { ...input, model });
  const proposal = proposeFixes(difference).find((candidate) => isWanted(candidate, input));
  if (proposal === undefined)
    return fail('VALIDATION_ERROR', `kind ${input.kind} is not proposed for this difference: see billFixPropose`);
  const effect = {
    difference: plain(difference.difference ?? ZERO),
    explained: plain(proposal.amount),
    remaining: plain((difference.difference ?? ZERO).minus(proposal.amount)),
  };
  if (input.dryRun) return { fix: null, ...effect };
  const repair =
    proposal.kind === 'RATE' ? await negotiateRate(context, gateway, { day, model: model!, proposal }) : null;
  const at = now();
  const fix: BillFixRow = {
    organizationId,
    id: uuidsV7(1)[0]!,
    connectionId: input.connectionId,
    kind: proposal.kind,
    day: day.day,
    model,
    amount: proposal.amount.toFixed(),
    scope: proposal.scope,
    note,
    rateCardId: repair?.rateCardId ?? null,
    operationId: repair?.operationId ?? null,
    appliedAt: at,
    appliedBy: context.principal.accountUserId,
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
      ...actorOf(context.principal),
      subjectId: fix.id,
      detail: `${proposal.title}: ${day.day}, ${plain(proposal.amount)}`,
    });
  });
  return { fix: toFixView({ ...fix, appliedAt: at.toISOString(), revertedAt: null }), ...effect };
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
