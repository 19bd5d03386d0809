/** The whole schema of a database, one line per object: what a dump of the schema would contain. */
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { withClient } from '#platform/database/prepare-database.ts';

export async function schemaOf(target: ConnectionTarget): Promise<string[]> {
  return withClient(target, async (client) => {
    const { rows } = await client.query<{ line: string }>(SCHEMA);
    return rows.map(({ line }) => line);
  });
}

const SCHEMA = `
  select concat_ws(' ', kind, name, what) as line from (
    select 'column' as kind,
           -- The position among the existing columns, and everything that can be set for a column.
           c.relname || '.' || lpad(row_number() over (partition by c.oid order by a.attnum)::text, 3, '0') as name,
           concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), 'not null', a.attnotnull, pg_get_expr(d.adbin, d.adrelid),
             'statistics', a.attstattarget, 'storage', a.attstorage, a.attcompression, a.attidentity, a.attgenerated) as what
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
    union all select 'index', indexname, indexdef from pg_indexes where schemaname = 'public'
    union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select 'policy', tablename || '.' || policyname, concat_ws(' ', permissive, roles, cmd, qual, with_check) from pg_policies
    union all select 'relation', relname, concat_ws(' ', relkind, relrowsecurity, relforcerowsecurity, reloptions,
        (select array_agg(concat_ws(' ', grantee::regrole, privilege_type) order by grantee::regrole::text, privilege_type) from aclexplode(relacl)))
      from pg_class where relnamespace = 'public'::regnamespace
    union all select 'function', proname, pg_get_functiondef(oid) from pg_proc p
      where pronamespace = 'public'::regnamespace and not exists (select from pg_depend where objid = p.oid and deptype = 'e')
    union all select 'trigger', tgname, pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
    union all select 'type', typname, typtype::text from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
    union all select 'extension', extname, extversion from pg_extension
  ) objects order by 1`;
