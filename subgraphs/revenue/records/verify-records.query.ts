/** Invariants of the revenue records, checked in SQL. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { statement } from '#platform/database/statement.ts';

export interface RecordCheck {
  check: string;
  checked: number;
  differences: string[];
}

const DIFFERENCES_MAX = 20;

const LINES = `select line_id, count(*) as entries, max(sequence) + 1 as expected, sum(records) as lives, sum(amount) as amount
  from revenue_record where organization_id = :organizationId group by line_id`;

interface Check {
  readonly check: string;
  readonly rows: string;
  readonly wrong: string;
  readonly says: string;
}

const CHECKS: readonly Check[] = [
  {
    check: 'the entries of every line are numbered without a gap',
    rows: LINES,
    wrong: 'entries <> expected',
    says: "line_id || ': ' || entries || ' entries up to number ' || expected - 1",
  },
  {
    check: 'every line is one record or none',
    rows: LINES,
    wrong: 'lives not in (0, 1)',
    says: "line_id || ': ' || lives || ' records'",
  },
  {
    check: 'every withdrawn record adds up to 0',
    rows: LINES,
    wrong: 'lives = 0 and amount <> 0',
    says: "line_id || ': ' || amount",
  },
  {
    check: 'the sync works',
    rows: `select attempt::text as line_id, attempt, last_error from payment_connection where organization_id = :organizationId and status = 'connected'`,
    wrong: 'last_error is not null and attempt >= 3',
    says: "'it has failed ' || attempt || ' times: ' || last_error",
  },
  {
    check: 'an invoice without live lines has no reductions',
    rows: `select invoice_id as line_id, sum(records) filter (where kind = 'invoice_line') as lines, sum(records) filter (where kind <> 'invoice_line') as lives
      from revenue_record where organization_id = :organizationId group by invoice_id`,
    wrong: 'coalesce(lines, 0) = 0 and coalesce(lives, 0) <> 0',
    says: "line_id || ': ' || lives || ' negative records'",
  },
  {
    check: 'no invoice loses more than it earned',
    rows: `select invoice_id as line_id, sum(amount) filter (where kind = 'invoice_line') as earned, sum(amount) as amount
      from revenue_record where organization_id = :organizationId group by invoice_id`,
    wrong: 'amount < least(earned, 0)',
    says: "line_id || ': ' || trim_scale(amount) || ' of ' || trim_scale(earned)",
  },
];

/**
 * Builds a verification that runs checks in order. `rows` is SQL whose rows have a `line_id`; `wrong` is SQL for the
 * rows that break the invariant, and `says` describes a row.
 */
export function checksOf(
  checks: readonly Check[],
): (tx: WriteTransaction, organizationId: OrganizationId) => Promise<RecordCheck[]> {
  const statements = checks.map(({ check, rows, wrong, says }) => ({
    check,
    verify: statement<{ checked: number; differences: string[] | null }, { readonly organizationId: OrganizationId }>(`
    with rows as (${rows}) select (select count(*)::float8 from rows) as checked,
      (select array_agg(says) from (select ${says} as says from rows where ${wrong} order by line_id limit ${DIFFERENCES_MAX}) as wrong) as differences`),
  }));
  return async (tx, organizationId) => {
    const results: RecordCheck[] = [];
    for (const { check, verify } of statements) {
      const { checked, differences } = await tx.one(verify, { organizationId });
      results.push({ check, checked, differences: differences ?? [] });
    }
    return results;
  };
}

export const verifyRecords = checksOf(CHECKS);
