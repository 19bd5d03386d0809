/** Finds work that does not finish: operations, interrupted repricings, and events waiting to be processed. */
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { query, queryOne } from '#platform/database/sql.ts';
import { statement } from '#platform/database/statement.ts';
import type { VerificationCheck } from '../credits/verify-credits.query.ts';

/** Without progress for this long, something is wrong. */
const STUCK = "interval '10 minutes'";
const DIFFERENCES_MAX = 20;

const VERIFY_ENDS = statement<{ checked: number; late: number }, { readonly organizationId: string | null }>(`
    select coalesce(sum(cardinality(event_ids)), 0)::float8 as checked,
      coalesce(sum(cardinality(event_ids)) filter (where created_at < now() - ${STUCK}), 0)::float8 as late
    from pricing_job where :organizationId::uuid is null or organization_id = :organizationId`);

export async function verifyEnds(tx: WriteTransaction, organizationId: string | null): Promise<VerificationCheck[]> {
  const isOf = (table: string) => `($1::uuid is null or ${table}.organization_id = $1)`;
  const ofIt = `o.state <> 'finished' and ${isOf('o')}`;
  const { checked } = await queryOne<{ checked: number }>(
    tx,
    `select count(*)::float8 as checked from operation o where ${ofIt}`,
    [organizationId],
  );
  const operations = await query<{ difference: string | null }>(
    tx,
    `
    select case when o.state = 'failed' then format('%s %s of %s has failed: %s', o.kind, o.id, o.organization_id, o.last_error)
        when o.state = 'running' and o.updated_at < now() - ${STUCK} then format('%s %s of %s has not come further since %s: %s',
          o.kind, o.id, o.organization_id, o.updated_at, o.last_error)
        when o.state = 'cancelled' and o.done > 0 and r.id is not null and r.finished_at is null and back.id is null
          then format('%s %s of %s was cancelled on its way: resume it or take it back', o.kind, o.id, o.organization_id) end as difference
    from operation o
    left join repricing r on r.organization_id = o.organization_id and r.id = o.id and ${isOf('r')}
    left join repricing back on back.organization_id = o.organization_id and back.reverts = o.id and ${isOf('back')}
    where ${ofIt} order by 1 nulls last limit ${DIFFERENCES_MAX}`,
    [organizationId],
  );
  const queue = await tx.one(VERIFY_ENDS, { organizationId });
  return [
    {
      check: 'every long operation finishes',
      checked,
      differences: operations.flatMap(({ difference }) => difference ?? []),
    },
    {
      check: 'every event is processed soon',
      checked: queue.checked,
      differences: queue.late > 0 ? [`${queue.late} events have waited to be processed for more than 10 minutes`] : [],
    },
  ];
}
