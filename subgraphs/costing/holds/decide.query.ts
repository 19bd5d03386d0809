/**
 * Decides whether a call may spend an amount, and reserves it, in one statement: it locks the rows of all allowances
 * that apply to the call in order, and raises the held amounts of all of them or of none.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { isoMillis } from '#platform/database/iso-sql.ts';
import { byNodes } from '#platform/database/nodes/distribution.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { OPEN_HOLDS_MAX } from '../config.ts';
import { ALLOWED_AMOUNT, periodStart } from '../allowances/allowance.table.ts';
import type { HoldState, SpendReason } from './hold.table.ts';

/** The subjects of a call, and its maximum cost. */
export interface Spending {
  readonly endUser: string | null;
  readonly agent: string | null;
  /** USD. */
  readonly amount: string;
}

export interface Verdict {
  readonly allowed: boolean;
  /** `hold_expired`: the hold of this key has expired, so a resend may not spend it. */
  readonly because: SpendReason | 'hold_expired';
  readonly remaining: string | null;
  readonly allowanceId: string | null;
}

export interface Decision extends Verdict {
  readonly id: string;
  readonly state: HoldState;
  readonly amount: string;
  readonly expiresAt: string;
  readonly requestDigest: string;
}

/** Evaluated once per statement: the time of the database. */
export const CLOCK = 'clock as materialized (select clock_timestamp() as at)';

/** SQL for the allowances that apply to the call, with their current periods. */
const CONCERNED = `concerned as materialized (
    select a.id as allowance_id, a.policy, ${ALLOWED_AMOUNT} as amount, ${periodStart('a.period', 'clock.at')} as period_start
    from clock cross join allowance a
    where a.organization_id = :organizationId and (a.subject, a.subject_id) in (
      ('organization', ''), ('end_user', coalesce(:endUser::text, '')), ('agent', coalesce(:agent::text, '')))
  )`;

/** SQL for the current periods of these allowances, locked in order. */
const LOCKED = (condition: string) => `locked as materialized (
    select p.allowance_id, p.period_start, p.held, p.spent, p.open_holds, c.policy, c.amount
    from concerned c join allowance_period p
      on p.organization_id = :organizationId and p.allowance_id = c.allowance_id and p.period_start = c.period_start
    where ${condition}
    order by p.allowance_id for update of p
  )`;

/**
 * SQL for the condition that a hold `h` has expired. A subquery, so that the index of expiry times is searched by time;
 * in a join, all open holds would be read.
 */
export const HAS_EXPIRED =
  "h.organization_id = :organizationId and h.state = 'open' and h.expires_at <= (select at from clock)";

const EXCEEDS = 'held + spent + :amount::numeric > amount';

/**
 * SQL for the decision over rows with `allowance_id, policy, amount, held, spent, open_holds`. `remaining`: USD left
 * before the call.
 */
const VERDICT = (rows: string) => `verdict as (
    select coalesce(bool_and((policy = 'warn' or not (${EXCEEDS})) and open_holds < ${OPEN_HOLDS_MAX}), true) as allowed,
      case when count(*) = 0 then 'no_allowance'
        when bool_or(policy = 'deny' and ${EXCEEDS}) then 'allowance_used_up'
        when bool_or(open_holds >= ${OPEN_HOLDS_MAX}) then 'too_many_open_holds'
        when bool_or(${EXCEEDS}) then 'over_allowance'
        else 'within_allowance' end as because,
      (array_agg(allowance_id order by policy = 'deny' and ${EXCEEDS} desc, amount - held - spent, allowance_id))[1] as allowance_id,
      (array_agg(amount - held - spent order by policy = 'deny' and ${EXCEEDS} desc, amount - held - spent, allowance_id))[1] as remaining,
      coalesce(array_agg(allowance_id order by allowance_id), '{}') as allowance_ids,
      coalesce(array_agg(period_start order by allowance_id), '{}') as period_starts
    from ${rows}
  )`;

const IS_EXPIRED = "(state = 'expired' or state = 'open' and expires_at <= clock.at)";
/** SQL that prints the answer from a row of `hold`, next to `CLOCK`. */
export const ANSWER = `id, state, case when ${IS_EXPIRED} then 'hold_expired' else because end as because,
    state <> 'denied' and not ${IS_EXPIRED} as allowed, trim_scale(remaining)::text as remaining, allowance_id,
    trim_scale(amount)::text as amount, ${isoMillis('expires_at')} as expires_at, request_digest`;

/** A call that needs a decision, with its idempotency key and the id for its hold. */
export interface DecisionInput extends Spending {
  readonly organizationId: OrganizationId;
  readonly id: string;
  readonly idempotencyKey: string;
  readonly requestDigest: string;
  readonly model: string | null;
  readonly ttlSeconds: number;
}

/**
 * Decides nothing if a period has no row yet, if holds of the organization have expired, or if another transaction has
 * just used the key.
 */
const DECIDE = statement<Decision, DecisionInput>(
  `
  with ${CLOCK}, existing as materialized (
    select * from hold where organization_id = :organizationId and idempotency_key = :idempotencyKey
  ), ${CONCERNED}, ${LOCKED('not exists (select 1 from existing)')}, ${VERDICT('locked')}, decided as (
    insert into hold (organization_id, id, idempotency_key, request_digest, end_user_external_id, agent_id, model, amount,
      state, because, remaining, allowance_id, allowance_ids, period_starts, opened_at, expires_at, closed_at)
    select :organizationId::uuid, :id::uuid, :idempotencyKey, :requestDigest, :endUser, :agent, :model, :amount::numeric,
      case when allowed then 'open' else 'denied' end, because, remaining - case when allowed then :amount::numeric else 0 end,
      verdict.allowance_id, case when allowed then allowance_ids else '{}' end, case when allowed then period_starts else '{}' end,
      clock.at, clock.at + :ttlSeconds * interval '1 second', case when not allowed then clock.at end
    from verdict cross join clock
    where not exists (select 1 from existing) and (select count(*) from concerned) = (select count(*) from locked)
      and not exists (select 1 from hold h where ${HAS_EXPIRED})
    on conflict (organization_id, idempotency_key) do nothing
    returning *
  ), held as (
    update allowance_period p set held = p.held + decided.amount, open_holds = p.open_holds + 1
    from decided cross join locked
    where decided.state = 'open' and p.organization_id = :organizationId and p.allowance_id = locked.allowance_id
      and p.period_start = locked.period_start
  )
  select ${ANSWER} from existing cross join clock union all select ${ANSWER} from decided cross join clock`,
  { isPrepared: true },
);

/** Null: nothing was decided; try again when expired holds are closed and the periods have rows. */
export function decide(tx: WriteTransaction, input: DecisionInput): Promise<Decision | null> {
  return byNodes(tx, {
    onOneNode: () => tx.first(DECIDE, input),
    onSeveralNodes: () => decideOnNodes(tx, input),
  });
}

const FIND_ANSWER = statement<Decision, DecisionInput>(`
  with ${CLOCK} select ${ANSWER} from hold cross join clock
  where organization_id = :organizationId and idempotency_key = :idempotencyKey`);

interface Locked extends Verdict {
  readonly allowanceIds: readonly string[];
  readonly periodStarts: readonly Date[];
  /** True if every period has a row and no hold has expired. */
  readonly isReady: boolean;
  readonly openedAt: Date;
  readonly expiresAt: Date;
}

const LOCK = statement<Locked, DecisionInput>(`
  with ${CLOCK}, ${CONCERNED}, ${LOCKED('true')}, ${VERDICT('locked')}
  select allowed, because, remaining::text as remaining, allowance_id, allowance_ids, period_starts,
    clock.at as opened_at, clock.at + :ttlSeconds * interval '1 second' as expires_at,
    (select count(*) from concerned) = (select count(*) from locked)
      and not exists (select 1 from hold h where ${HAS_EXPIRED}) as is_ready
  from verdict cross join clock`);

const INSERT = statement<{ id: string }, DecisionInput & Locked & { readonly state: HoldState }>(`
  insert into hold (organization_id, id, idempotency_key, request_digest, end_user_external_id, agent_id, model, amount,
    state, because, remaining, allowance_id, allowance_ids, period_starts, opened_at, expires_at, closed_at)
  values (:organizationId, :id, :idempotencyKey, :requestDigest, :endUser, :agent, :model, :amount::numeric, :state, :because,
    :remaining::numeric - case when :allowed::boolean then :amount::numeric else 0 end, :allowanceId,
    case when :allowed then :allowanceIds::uuid[] else '{}' end, case when :allowed then :periodStarts::timestamptz[] else '{}' end,
    :openedAt::timestamptz, :expiresAt::timestamptz, case when not :allowed then :openedAt::timestamptz end)
  on conflict (organization_id, idempotency_key) do nothing
  returning id`);

const HOLD_AMOUNT = statement<object, DecisionInput & Locked>(`
  update allowance_period p set held = p.held + :amount::numeric, open_holds = p.open_holds + 1
  from unnest(:allowanceIds::uuid[], :periodStarts::timestamptz[]) as locked (allowance_id, period_start)
  where p.organization_id = :organizationId and p.allowance_id = locked.allowance_id and p.period_start = locked.period_start`);

/**
 * Decides in several statements of a transaction, because a `with` query that locks and writes cannot run on several
 * nodes (decision 63).
 */
async function decideOnNodes(tx: WriteTransaction, input: DecisionInput): Promise<Decision | null> {
  const existing = await tx.first(FIND_ANSWER, input);
  if (existing !== null) return existing;
  const locked = await tx.one(LOCK, input);
  if (!locked.isReady) return null;
  const written = { ...input, ...locked };
  const inserted = await tx.first(INSERT, { ...written, state: locked.allowed ? 'open' : 'denied' });
  if (inserted === null) return null;
  if (locked.allowed) await tx.run(HOLD_AMOUNT, written);
  return tx.first(FIND_ANSWER, input);
}

const CONCERNED_IDS = statement<
  { id: string },
  Omit<Spending, 'amount'> & { readonly organizationId: OrganizationId }
>(`
  select id from allowance a
  where a.organization_id = :organizationId and (a.subject, a.subject_id) in (
    ('organization', ''), ('end_user', coalesce(:endUser::text, '')), ('agent', coalesce(:agent::text, '')))`);

/** Ids of the allowances that apply to the call. */
export async function findConcerned(
  tx: Transaction,
  organizationId: OrganizationId,
  { endUser, agent }: Omit<Spending, 'amount'>,
): Promise<string[]> {
  return (await tx.all(CONCERNED_IDS, { organizationId, endUser, agent })).map(({ id }) => id);
}

/** Expired holds count as released, although the job has not closed them. */
const CHECK = statement<Verdict, Spending & { readonly organizationId: OrganizationId }>(`
  with ${CLOCK}, ${CONCERNED}, expired as (
    select part.allowance_id, part.period_start, sum(h.amount) as amount, count(*) as holds
    from hold h cross join lateral unnest(h.allowance_ids, h.period_starts) as part (allowance_id, period_start)
    where ${HAS_EXPIRED} group by 1, 2
  ), current as (
    select c.allowance_id, c.period_start, c.policy, c.amount, coalesce(p.held, 0) - coalesce(e.amount, 0) as held,
      coalesce(p.spent, 0) as spent, coalesce(p.open_holds, 0) - coalesce(e.holds, 0) as open_holds
    from concerned c
    left join allowance_period p on p.organization_id = :organizationId and p.allowance_id = c.allowance_id and p.period_start = c.period_start
    left join expired e on e.allowance_id = c.allowance_id and e.period_start = c.period_start
  ), ${VERDICT('current')}
  select allowed, because, trim_scale(remaining)::text as remaining, allowance_id from verdict`);

/** Decides without reserving anything. `remaining`: USD left before the call. */
export function check(tx: Transaction, organizationId: OrganizationId, spending: Spending): Promise<Verdict> {
  return tx.one(CHECK, { organizationId, ...spending });
}
