/**
 * Decides in one transaction about calls that are requested at the same time, so that they share its round trips and
 * disk write.
 */
import type { Database } from '#platform/database/open-database.ts';
import { coversAllOrganizations } from '#platform/database/nodes/distribution.ts';
import { rounds } from '#platform/rounds.ts';
import type { Decision, DecisionInput } from './decide.query.ts';
import { decideTogether } from './decide-together.query.ts';
import type { SpendRequest } from './parse-spend.ts';
import { priceCall } from './price-call.step.ts';

/** A call that needs a decision and is not priced yet. */
export interface AskedCall extends Omit<DecisionInput, 'amount'> {
  readonly cost: SpendRequest['cost'];
}

/** Null: the call was not decided with the others, and must be decided by itself. */
type Shared = { readonly decision: Decision | null } | { readonly error: unknown };

const CALLS_MAX = 100;
/** Concurrent transactions of one organization: one decides while the other waits for the disk. */
const AT_ONCE = 2;
const WAITING_MAX = 1_000;

const sharedOf = (database: Database) =>
  rounds<AskedCall, Shared>({
    atOnce: AT_ONCE,
    waitingMax: WAITING_MAX,
    fitting: countFitting,
    serve: (calls) => decideAll(database, calls),
  });
const shared = new WeakMap<Database, ReturnType<typeof sharedOf>>();

/**
 * Returns null if the call must be decided by itself, because a call in its round may be denied or reuses a key. Fails
 * with `VALIDATION_ERROR` if no rate prices the call.
 */
export async function shareDecision(database: Database, call: AskedCall): Promise<Decision | null> {
  if (!coversAllOrganizations(database.orm)) return null;
  const share = shared.get(database) ?? sharedOf(database);
  shared.set(database, share);
  const answer = await share(call.organizationId, call);
  if ('error' in answer) throw answer.error;
  return answer.decision;
}

function countFitting(waiting: readonly AskedCall[]): number {
  const keys = new Set<string>();
  for (const { idempotencyKey } of waiting) {
    if (keys.size === CALLS_MAX || keys.has(idempotencyKey)) break;
    keys.add(idempotencyKey);
  }
  return keys.size;
}

async function decideAll(database: Database, calls: readonly AskedCall[]): Promise<Shared[]> {
  const { organizationId } = calls[0]!;
  return database.write(organizationId, async (tx) => {
    const errors = new Map<AskedCall, unknown>();
    const priced: DecisionInput[] = [];
    for (const call of calls) {
      const { cost, ...others } = call;
      try {
        priced.push({ ...others, amount: typeof cost === 'string' ? cost : await priceCall(tx, organizationId, cost) });
      } catch (error) {
        errors.set(call, error);
      }
    }
    const decisions =
      priced.length === 0 ? new Map<string, Decision>() : await decideTogether(tx, organizationId, priced);
    return calls.map((call) =>
      errors.has(call) ? { error: errors.get(call) } : { decision: decisions.get(call.id) ?? null },
    );
  });
}
