/** The start proves that PostgreSQL itself keeps organizations apart, or stops. */
import type { Database } from './open-database.ts';
import { queryOne } from './sql.ts';

/** Throws when the serving role could see past row-level security, or a tenant table is not under it. */
export async function proveIsolation(database: Database): Promise<void> {
  const unknownId = '00000000-0000-4000-8000-000000000000';
  const { bypasses, open } = await database.forOrganization(unknownId, (em) => queryOne<{ bypasses: boolean; open: string | null }>(em, `
    select
      (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as bypasses,
      (select string_agg(c.relname, ', ')
         from pg_class c
         join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
          and not (c.relrowsecurity and c.relforcerowsecurity)) as open`));
  if (bypasses) throw new Error(`The serving role of database ${database.name} is not bound by row-level security`);
  if (open !== null) throw new Error(`Tables of database ${database.name} are not under row-level security: ${open}`);
}
