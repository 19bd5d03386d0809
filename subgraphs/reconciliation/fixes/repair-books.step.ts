/**
 * Carries out a fix that changes costing: saves a rate or a discount, then reprices. Each step is recorded in the fix, so
 * that a repeat continues and a revert undoes what was done.
 */
import type { GatewayClient } from '#platform/gateway-client.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { Principal } from '#platform/principal.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail, KnownError } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { ComparedDay } from '../days/compare-days.step.ts';
import { recordRepair, type Repair, type StoredFix, withdrawFix } from '../decisions/bill-fix.table.ts';
import { agreeDiscount, removeDiscount } from './agree-discount.step.ts';
import { endRate, negotiateRate } from './negotiate-rate.step.ts';
import type { ProposedFix } from './propose-fixes.ts';
import { repriceFrom } from './reprice.step.ts';

interface Work {
  readonly day: ComparedDay;
  readonly model: string | null;
  readonly proposal: ProposedFix;
  /** Description of the repair, for the audit log. */
  readonly detail: string;
}

type Saved = Pick<Repair, 'rateCardId' | 'agreementId'>;

/** If the rate or the discount cannot be saved, the fix is withdrawn. If only the repricing fails, the fix remains. */
export async function repairBooks(
  context: SubgraphContext,
  gateway: GatewayClient,
  { id, rateCardId, agreementId }: Pick<StoredFix, 'id' | 'rateCardId' | 'agreementId'>,
  work: Work,
): Promise<StoredFix> {
  const { database, principal, log } = context;
  const { day, detail } = work;
  const key = { organizationId: organizationOf(context), id };
  let saved: Saved;
  try {
    const isSaved = rateCardId !== null || agreementId !== null;
    saved = isSaved ? { rateCardId, agreementId } : await save(context, gateway, work);
  } catch (error) {
    await database
      .write(key.organizationId, (tx) => withdrawFix(tx, key))
      .catch((err: unknown) => log.warn({ err, ...key }, 'A failed fix could not be withdrawn'));
    throw error;
  }
  const record = async (repair: Repair): Promise<StoredFix> => {
    const fix = await database.write(key.organizationId, async (tx) => {
      const recorded = await recordRepair(tx, { ...key, ...repair });
      if (recorded !== null && repair.operationId !== null)
        await recordAudit(tx, {
          organizationId: key.organizationId,
          at: now(),
          action: 'bill_fix.applied',
          ...actorOf(principal),
          subjectId: id,
          detail,
        });
      return recorded;
    });
    if (fix !== null) return fix;
    await undoRepair(principal, gateway, { ...saved, day: day.day });
    return fail('VALIDATION_ERROR', 'The fix was reverted while it was applied');
  };
  await record({ ...saved, operationId: null });
  return record({ ...saved, operationId: await repriceFrom(principal, gateway, day.day) });
}

async function save(context: SubgraphContext, gateway: GatewayClient, { day, model, proposal }: Work): Promise<Saved> {
  const { discount } = proposal;
  return discount === null
    ? { rateCardId: await negotiateRate(context, gateway, { day, model: model!, proposal }), agreementId: null }
    : { rateCardId: null, agreementId: await agreeDiscount(context.principal, gateway, { day: day.day, discount }) };
}

/** Ends the rate or the discount of a fix and reprices. One that no longer exists was ended before. */
export async function undoRepair(
  principal: Principal,
  gateway: GatewayClient,
  { rateCardId, agreementId, day }: Saved & { readonly day: string },
): Promise<void> {
  if (rateCardId === null && agreementId === null) return;
  if (agreementId !== null) await removeDiscount(principal, gateway, agreementId).catch(ignoreMissing);
  if (rateCardId !== null) await endRate(principal, gateway, { rateCardId, day }).catch(ignoreMissing);
  await repriceFrom(principal, gateway, day);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof KnownError && error.code === 'NOT_FOUND')) throw error;
}
