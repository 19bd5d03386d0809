/** Sets or changes the organization's plan. */
import { dateInWords } from '#kernel/time/in-words.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { lockCredits, openCreditAccount, savePlan } from './credit-account.table.ts';
import { type CreditBalance, creditBalance } from './credit-balance.ts';
import { type PlanRequest, planOf } from './plan-of.ts';

/** Fails with `VALIDATION_ERROR` for an invalid count or instant. */
export async function setPlan(context: SubgraphContext, request: PlanRequest): Promise<CreditBalance> {
  const organizationId = organizationOf(context);
  const at = now();
  return context.database.write(organizationId, async (tx) => {
    await openCreditAccount(tx, organizationId);
    const before = await lockCredits(tx, organizationId);
    const plan = planOf(before.account, request, at);
    await savePlan(tx, organizationId, plan);
    const { allotment: size, left, renewsAt, renewalDay, softLimit } = plan;
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'plan.set',
      ...actorOf(context.principal),
      detail: `${size} events, soft limit ${softLimit}, renewed on ${dateInWords(renewsAt)}`,
    });
    return creditBalance(
      organizationId,
      { ...before.account, allotment: { size, left, renewsAt, renewalDay } },
      softLimit,
      at,
    );
  });
}
