/** Verifies outcomes: each is the newest of its versions, no version is missing, and no kept event is lost. */
import type { OrganizationId } from '#kernel/ids.ts';
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { STATED_COLUMNS } from './outcome.table.ts';

export interface OutcomeCheck {
  readonly check: string;
  readonly checked: number;
  readonly differences: string[];
}

/** `expected` and `kept` return `livemode`, `key` and `content`. */
const CHECKS = [
  {
    check: 'outcomes = their newest versions',
    expected: `
      select distinct on (livemode, key) livemode, key,
        row(${STATED_COLUMNS}, count(*) over (partition by livemode, key), max(version) over (partition by livemode, key)) as content
      from outcome_version where organization_id = :organizationId order by livemode, key, stated_at desc, fingerprint collate "C" desc`,
    kept: `
      select livemode, key, row(${STATED_COLUMNS}, versions::bigint, versions) as content
      from outcome where organization_id = :organizationId`,
  },
  {
    check: 'events kept for outcomes',
    expected: `
      select true as livemode, key, row(count(*)) as content from outcome_event where organization_id = :organizationId group by key`,
    kept: `
      select livemode, key, row(kept_events::bigint) as content from outcome
      where organization_id = :organizationId and livemode and kept_events > 0`,
  },
] as const;

interface Found {
  readonly checked: number;
  readonly count: number;
  readonly differences: string[];
}

const STATEMENTS = CHECKS.map(({ check, expected, kept }) => ({
  check,
  compare: statement<Found, { readonly organizationId: OrganizationId; readonly differencesShown: number }>(`
    with pair as (
      select concat_ws(' ', key, case when not livemode then '(test)' end) as name,
        expected.content is distinct from kept.content as differs
      from (${expected}) as expected full join (${kept}) as kept using (livemode, key))
    select count(*)::int as checked, count(*) filter (where differs)::int as count,
      coalesce((array_agg(name order by name) filter (where differs))[1 : :differencesShown::int], '{}') as differences
    from pair`),
}));

/** One result per check, with at most `differencesShown` differences. */
export async function compareOutcomes(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  differencesShown: number,
): Promise<OutcomeCheck[]> {
  const checks: OutcomeCheck[] = [];
  for (const { check, compare } of STATEMENTS) {
    const { checked, count, differences } = await tx.one(compare, { organizationId, differencesShown });
    const more = count - differences.length;
    checks.push({ check, checked, differences: more > 0 ? [...differences, `and ${more} more`] : differences });
  }
  return checks;
}
