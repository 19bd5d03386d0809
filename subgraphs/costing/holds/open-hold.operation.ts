/** Decides whether a call may spend its maximum cost, and reserves that amount until the call's event arrives. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { enumValue } from '#kernel/enum-value.ts';
import { fail } from '#kernel/errors.ts';
import { openPeriods, releasePeriods } from '../allowances/allowance-period.table.ts';
import { requiredText } from '../allowances/parse-allowance.ts';
import { HOLD_ROWS_MAX, HOLD_SECONDS, HOLD_SECONDS_MAX } from '../config.ts';
import type { HoldOpenInput, SpendDecision } from '../resolvers.generated.ts';
import { checkSpend } from './check-spend.step.ts';
import { type Decision, decide, findConcerned } from './decide.query.ts';
import { closeExpired } from './hold.table.ts';
import { digestOf, parseSpend } from './parse-spend.ts';
import { priceCall } from './price-call.step.ts';
import { shareDecision } from './share-decisions.step.ts';

/** More than one attempt is needed only if a period begins, holds expire or a resend arrives at the same time. */
const ATTEMPTS_MAX = 10;

/**
 * The same key gets the same answer for a day; once its hold has expired, the call is no longer allowed. Fails with
 * `VALIDATION_ERROR` if the key was used for another request, or if the call cannot be priced. A test key reserves
 * nothing.
 */
export async function openHold(context: SubgraphContext, input: HoldOpenInput): Promise<SpendDecision> {
  const organizationId = organizationOf(context);
  const { database, principal } = context;
  const idempotencyKey = requiredText('idempotencyKey', input.idempotencyKey);
  const request = parseSpend(input.spend);
  const ttlSeconds = input.ttlSeconds ?? HOLD_SECONDS;
  if (ttlSeconds < 1 || ttlSeconds > HOLD_SECONDS_MAX)
    fail('VALIDATION_ERROR', `ttlSeconds must be from 1 to ${HOLD_SECONDS_MAX}`);
  if (principal.environment === 'test') return checkSpend(context, request);
  const requestDigest = digestOf({ ...request, ttlSeconds });
  const [id = ''] = uuidsV7(1);
  const { endUser, agent, cost } = request;
  const model = typeof cost === 'string' ? null : cost.model;
  const call = { organizationId, id, idempotencyKey, requestDigest, endUser, agent, model, ttlSeconds };
  const shared = await shareDecision(database, { ...call, cost });
  if (shared !== null) return toDecision(shared, requestDigest);
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const decision = await database.write(organizationId, async (tx) => {
      const amount = typeof cost === 'string' ? cost : await priceCall(tx, organizationId, cost);
      return decide(tx, { ...call, amount });
    });
    if (decision !== null) return toDecision(decision, requestDigest);
    await database.write(organizationId, async (tx) => {
      const { changes } = await closeExpired(tx, organizationId, HOLD_ROWS_MAX);
      await releasePeriods(tx, organizationId, changes);
    });
    await database.write(organizationId, async (tx) =>
      openPeriods(tx, organizationId, await findConcerned(tx, organizationId, request)),
    );
  }
  return fail('SERVICE_UNAVAILABLE', 'The allowances changed too often to decide: send the request again');
}

function toDecision(decision: Decision, requestDigest: string): SpendDecision {
  if (decision.requestDigest !== requestDigest)
    fail('VALIDATION_ERROR', 'This idempotency key was used for another request in the last 24 hours');
  const { allowed } = decision;
  return {
    allowed,
    holdId: allowed ? decision.id : null,
    amount: decision.amount,
    left: decision.remaining,
    because: enumValue(decision.because),
    allowanceId: decision.allowanceId,
    expiresAt: allowed ? new Date(decision.expiresAt) : null,
  };
}
