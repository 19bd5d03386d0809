/** Compares every rollup of one organization with the facts that it sums up, in one snapshot. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { query } from '../../../platform/database/sql.ts';
import { MEASURES } from './measure.ts';
import { daySums, endUserDaySums, endUserMonthSums, hourSums } from './roll-up.ts';

export interface Audit {
  readonly check: string;
  /** Rows of the rollup and rows that should be there, whichever are more. */
  readonly checked: number;
  /** What differs, at most as many as asked for, then how many more. */
  readonly differences: string[];
}

const FACTS = '(select * from cost_fact where organization_id = $1)';
const READY_KEYS = "(select organization_id, key from rolled_key where organization_id = $1 and state = 'ready')";
const HOURS = hourSums(FACTS, READY_KEYS);
const READY_ROWS = `organization_id = $1 and dimension_key in (select key from ${READY_KEYS} as ready)`;
const END_USER_DAYS = endUserDaySums(`${FACTS} as fact`);
const PERSON_COLUMNS = 'organization_id, bucket, end_user_id, total_cost::numeric, event_count::numeric, entry_count::numeric';
const VALUE_COLUMNS = `organization_id, dimension_key, bucket, dimension_value, ${MEASURES}`;

/** Both sides of each comparison: rows that should be there, and rows that are. */
const COMPARISONS: readonly { readonly check: string; readonly expected: string; readonly kept: string; readonly name: string }[] = [
  {
    check: 'hours of every key = facts',
    expected: `select ${VALUE_COLUMNS} from (${HOURS}) as hour`,
    kept: `select ${VALUE_COLUMNS} from rollup_hour where ${READY_ROWS}`,
    name: "dimension_key || ' ' || bucket || ' ' || dimension_value",
  },
  {
    check: 'days of every key = facts',
    expected: `select ${VALUE_COLUMNS} from (${daySums(`(${HOURS}) as hour`)}) as day`,
    kept: `select ${VALUE_COLUMNS} from rollup_day where ${READY_ROWS}`,
    name: "dimension_key || ' ' || bucket || ' ' || dimension_value",
  },
  {
    check: "end users' days = facts",
    expected: `select ${PERSON_COLUMNS} from (${END_USER_DAYS}) as day`,
    kept: `select ${PERSON_COLUMNS} from end_user_day where organization_id = $1`,
    name: "end_user_id || ' ' || bucket",
  },
  {
    check: "end users' months = facts",
    expected: `select ${PERSON_COLUMNS} from (${endUserMonthSums(`(${END_USER_DAYS}) as day`)}) as month`,
    kept: `select ${PERSON_COLUMNS} from end_user_month where organization_id = $1`,
    name: "end_user_id || ' ' || bucket",
  },
  {
    check: 'every end user of a fact is known',
    expected: `select distinct end_user_id from cost_fact where organization_id = $1 and end_user_id is not null`,
    kept: `select id as end_user_id from end_user where organization_id = $1 and id in (select end_user_id from cost_fact where organization_id = $1)`,
    name: 'end_user_id::text',
  },
];

/** Takes as long as reading all facts of the organization a few times. */
export async function auditRollups(em: EntityManager, organizationId: string, differencesShown: number): Promise<Audit[]> {
  const audits: Audit[] = [];
  for (const { check, expected, kept, name } of COMPARISONS) {
    const [row] = await query<{ checked: number; differences: string[]; count: number }>(em, `
      with expected as materialized (${expected}), kept as materialized (${kept}),
      difference as (
        select 'missing or different: ' || ${name} as text from (select * from expected except select * from kept) as missing
        union all
        select 'kept, and not of any fact: ' || ${name} from (select * from kept except select * from expected) as surplus
      )
      select greatest((select count(*) from expected), (select count(*) from kept))::int as checked,
        (select count(*) from difference)::int as count,
        array(select text from difference order by text limit $2) as differences`, [organizationId, differencesShown]);
    if (!row) continue;
    const more = row.count - row.differences.length;
    audits.push({ check, checked: row.checked, differences: more > 0 ? [...row.differences, `and ${more} more`] : row.differences });
  }
  return audits;
}
