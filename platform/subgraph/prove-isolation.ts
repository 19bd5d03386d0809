/** Startup checks of row-level security. */
import { now } from '../clock.ts';
import type { Database } from '../database/open-database.ts';
import type { WriteTransaction } from '../database/transaction.ts';
import { setLocal } from '../database/roles.ts';
import { query, queryOne } from '../database/sql.ts';
import { statement } from '../database/statement.ts';
import { StartError } from '../start-error.ts';
import { insertAuditRecord } from './audit-record.ts';
import { unavailability } from '../unavailability.ts';

/** Id that no organization has. */
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const ANOTHER_ID = '00000000-0000-4000-8000-000000000001';

const FIND_ISOLATION_GAPS = statement<{ bypasses: boolean; open: string | null }>(`
  select
    (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as bypasses,
    (select string_agg(c.relname, ', ')
       from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
        and not (c.relrowsecurity and c.relforcerowsecurity)) as open`);

/**
 * Checks that PostgreSQL separates organizations. Throws if the serving role could bypass row-level security or a
 * tenant table lacks it.
 */
export async function proveIsolation(database: Database): Promise<void> {
  const { bypasses, open } = await database.write(UNKNOWN_ID, (tx) => tx.one(FIND_ISOLATION_GAPS, {}));
  if (bypasses) throw new Error(`The serving role of database ${database.name} is not bound by row-level security`);
  if (open !== null) throw new Error(`Tables of database ${database.name} are not under row-level security: ${open}`);
}

/** Rolls back the transaction of the check. */
class Seen extends Error {
  readonly own: number;
  readonly others: number;

  constructor(own: number, others: number) {
    super('The transaction of the check is rolled back');
    this.own = own;
    this.others = others;
  }
}

/**
 * Checks that organizations can see their own rows: on several nodes, a wrong setting would hide everything and make
 * every figure zero. Writes an audit record, reads it as its organization and as another one, and rolls back. Throws a
 * {@link StartError}.
 */
export async function proveAdmission(database: Database): Promise<void> {
  const seen = await database.write(UNKNOWN_ID, writeAndLook).catch((error: unknown) => error);
  if (seen === 'read-only') return;
  if (seen instanceof Seen && seen.own === 1 && seen.others === 0) return;
  if (seen instanceof StartError || unavailability(seen) !== null) throw seen;
  throw new StartError(
    `Row-level security of the database ${database.name} does not work: an organization ${seen instanceof Seen ? `sees ${seen.own} of its 1 row, another one ${seen.others} of it` : `is refused (${(seen as Error).message})`}. On Citus, the database needs citus.propagate_set_commands = 'local' on every node.`,
    seen,
  );
}

const READ_DATABASE_STATE = statement<{ isReadOnly: boolean; hasLog: boolean }>(`
  select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only,
    to_regclass('audit_record') is not null as has_log`);

async function writeAndLook(tx: WriteTransaction): Promise<'read-only'> {
  const { isReadOnly, hasLog } = await tx.one(READ_DATABASE_STATE, {});
  if (!hasLog)
    throw new StartError(
      'A subgraph needs a table for its audit log: use auditTable() of platform/subgraph/audit-record.ts',
    );
  if (isReadOnly) return 'read-only';
  const event = { organizationId: UNKNOWN_ID, at: now(), action: 'admission.proved', actorKind: 'service' } as const;
  await insertAuditRecord(tx, event);
  const look = 'select count(*)::int as rows from audit_record where organization_id = $1';
  const { rows: own } = await queryOne<{ rows: number }>(tx, look, [UNKNOWN_ID]);
  await query(tx, setLocal({ 'app.organization_id': ANOTHER_ID }));
  const { rows: others } = await queryOne<{ rows: number }>(tx, look, [UNKNOWN_ID]);
  throw new Seen(own, others);
}
