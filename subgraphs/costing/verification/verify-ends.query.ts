/** Finds work that is stuck: operations, interrupted repricings, and events waiting to be processed. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';
import type { VerificationCheck } from '../credits/verify-credits.query.ts';

/** Time without progress after which work is reported as stuck. */
const STUCK = "interval '10 minutes'";
const DIFFERENCES_MAX = 20;

/** Null: every organization. */
interface OfOrganization {
  readonly organizationId: OrganizationId | null;
}

const VERIFY_QUEUE = statement<{ checked: number; late: number }, OfOrganization>(`
    select coalesce(sum(cardinality(event_ids)), 0)::float8 as checked,
      coalesce(sum(cardinality(event_ids)) filter (where created_at < now() - ${STUCK}), 0)::float8 as late
    from pricing_job where :organizationId::uuid is null or organization_id = :organizationId`);

const isOf = (table: string) => `(:organizationId::uuid is null or ${table}.organization_id = :organizationId)`;
const UNFINISHED = `o.state <> 'finished' and ${isOf('o')}`;

const COUNT_OPERATIONS = statement<{ checked: number }, OfOrganization>(
  `select count(*)::float8 as checked from operation o where ${UNFINISHED}`,
);

const VERIFY_OPERATIONS = statement<{ difference: string | null }, OfOrganization>(`
    select case when o.state = 'failed' then format('%s %s of %s has failed: %s', o.kind, o.id, o.organization_id, o.last_error)
        when o.state = 'running' and o.updated_at < now() - ${STUCK} then format('%s %s of %s has not come further since %s: %s',
          o.kind, o.id, o.organization_id, o.updated_at, o.last_error)
        when o.state = 'cancelled' and o.done > 0 and r.id is not null and r.finished_at is null and back.id is null
          then format('%s %s of %s was cancelled on its way: resume it or take it back', o.kind, o.id, o.organization_id) end as difference
    from operation o
    left join repricing r on r.organization_id = o.organization_id and r.id = o.id and ${isOf('r')}
    left join repricing back on back.organization_id = o.organization_id and back.reverts = o.id and ${isOf('back')}
    where ${UNFINISHED} order by 1 nulls last limit ${DIFFERENCES_MAX}`);

/** Verifies one organization, or all of them if it is null. */
export async function verifyEnds(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
): Promise<VerificationCheck[]> {
  const { checked } = await tx.one(COUNT_OPERATIONS, { organizationId });
  const operations = await tx.all(VERIFY_OPERATIONS, { organizationId });
  const queue = await tx.one(VERIFY_QUEUE, { organizationId });
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
