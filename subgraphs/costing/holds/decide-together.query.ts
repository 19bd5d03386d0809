/**
 * Decides about several calls of an organization in one statement, which also commits. It decides either all of them or
 * none: all if every call is within its allowances after the calls before it, no key was used before, every period has
 * a row, and no hold has expired. Only for a single node.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { arrayLiteral } from '#platform/database/array-literal.ts';
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { ALLOWED_AMOUNT, periodStart } from '../allowances/allowance.table.ts';
import { OPEN_HOLDS_MAX } from '../config.ts';
import { ANSWER, CLOCK, type Decision, type DecisionInput, HAS_EXPIRED } from './decide.query.ts';

interface TogetherInput {
  readonly organizationId: OrganizationId;
  readonly ids: string | null;
  readonly idempotencyKeys: string | null;
  readonly requestDigests: string | null;
  readonly endUsers: string | null;
  readonly agents: string | null;
  readonly models: string | null;
  readonly amounts: string | null;
  readonly seconds: string | null;
}

const ITEMS =
  ':ids::uuid[], :idempotencyKeys::text[], :requestDigests::text[], :endUsers::text[], :agents::text[], :models::text[], :amounts::numeric[], :seconds::int[]';

/** `each`: a call's allowances, with what is left of them and the number of open holds before it. */
const DECIDE_TOGETHER = statement<Decision, TogetherInput>(
  `
  with ${CLOCK}, item as materialized (
    select * from unnest(${ITEMS}) with ordinality
      as item (id, idempotency_key, request_digest, end_user, agent, model, spending, seconds, turn)
  ), concerned as materialized (
    select item.turn, item.spending, a.id as allowance_id, ${ALLOWED_AMOUNT} as amount, ${periodStart('a.period', 'clock.at')} as period_start
    from clock cross join item
      cross join lateral (values ('organization', ''), ('end_user', item.end_user), ('agent', item.agent)) as subject (kind, id)
      cross join lateral (
        select * from allowance where organization_id = :organizationId and subject = subject.kind and subject_id = subject.id offset 0) as a
  ), period as materialized (
    select distinct allowance_id, period_start from concerned
  ), locked as materialized (
    select p.allowance_id, p.period_start, p.held, p.spent, p.open_holds
    from period join allowance_period p
      on p.organization_id = :organizationId and p.allowance_id = period.allowance_id and p.period_start = period.period_start
    order by p.allowance_id for update of p
  ), each as (
    select turn, spending, allowance_id, period_start, amount - held - spent - sum(spending) over earlier + spending as remaining,
      open_holds + row_number() over earlier - 1 as open_holds
    from concerned join locked using (allowance_id, period_start)
    window earlier as (partition by allowance_id, period_start order by turn)
  ), verdict as materialized (
    select turn, min(remaining) as remaining, (array_agg(allowance_id order by remaining, allowance_id))[1] as allowance_id,
      array_agg(allowance_id order by allowance_id) as allowance_ids, array_agg(period_start order by allowance_id) as period_starts,
      bool_and(remaining >= spending and open_holds < ${OPEN_HOLDS_MAX}) as is_within
    from each group by turn
  ), decided as (
    insert into hold (organization_id, id, idempotency_key, request_digest, end_user_external_id, agent_id, model, amount,
      state, because, remaining, allowance_id, allowance_ids, period_starts, opened_at, expires_at)
    select :organizationId::uuid, item.id, item.idempotency_key, item.request_digest, item.end_user, item.agent, item.model, item.spending,
      'open', case when verdict.turn is null then 'no_allowance' else 'within_allowance' end, verdict.remaining - item.spending,
      verdict.allowance_id, coalesce(verdict.allowance_ids, '{}'), coalesce(verdict.period_starts, '{}'),
      clock.at, clock.at + item.seconds * interval '1 second'
    from clock cross join item left join verdict using (turn)
    where (select coalesce(bool_and(is_within), true) from verdict)
      and (select count(*) from period) = (select count(*) from locked)
      and not exists (
        select 1 from hold h where h.organization_id = :organizationId and h.idempotency_key = any(:idempotencyKeys::text[]))
      and not exists (select 1 from hold h where ${HAS_EXPIRED})
    on conflict (organization_id, idempotency_key) do nothing
    returning *
  ), reserved as (
    select part.allowance_id, part.period_start, sum(decided.amount) as amount, count(*)::int as holds
    from decided cross join lateral unnest(decided.allowance_ids, decided.period_starts) as part (allowance_id, period_start)
    group by 1, 2
  ), held as (
    update allowance_period p set held = p.held + reserved.amount, open_holds = p.open_holds + reserved.holds
    from reserved
    where p.organization_id = :organizationId and p.allowance_id = reserved.allowance_id and p.period_start = reserved.period_start
  )
  select ${ANSWER} from decided cross join clock`,
  { commits: true },
);

/**
 * Returns the decisions by id; those of calls that were not decided are missing. `inputs` are of one organization and
 * have distinct keys.
 */
export async function decideTogether(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  inputs: readonly DecisionInput[],
): Promise<ReadonlyMap<string, Decision>> {
  const column = (of: (input: DecisionInput) => string | number | null) => arrayLiteral(inputs.map(of));
  const decisions = await tx.all(DECIDE_TOGETHER, {
    organizationId,
    ids: column(({ id }) => id),
    idempotencyKeys: column(({ idempotencyKey }) => idempotencyKey),
    requestDigests: column(({ requestDigest }) => requestDigest),
    endUsers: column(({ endUser }) => endUser),
    agents: column(({ agent }) => agent),
    models: column(({ model }) => model),
    amounts: column(({ amount }) => amount),
    seconds: column(({ ttlSeconds }) => ttlSeconds),
  });
  return new Map(decisions.map((decision) => [decision.id, decision]));
}
