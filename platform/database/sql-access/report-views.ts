/** Creates the views for SQL tools, and replaces them when they change. Only databases with SQL access have them. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import { StartError } from '../../start-error.ts';
import type { Database } from '../open-database.ts';
import { ORGANIZATION_OF_ROLE } from './report-view.ts';
import { READERS, viewOwner } from './sql-roles.ts';

/** SQL: true if SQL access was created in this database. An operator may have a schema `report` of their own. */
export function hasSqlAccess(name: string): string {
  return `exists (select from pg_class where relname = 'reader' and pg_get_userbyid(relowner) = ${pg.escapeLiteral(viewOwner(name))}
    and relnamespace = (select oid from pg_namespace where nspname = 'report'))`;
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** The policy of a table protects every view, whatever its query says. */
const OWN = `organization_id = ${ORGANIZATION_OF_ROLE}`;
const OWN_OR_SHARED = `${OWN} or organization_id = '${NIL_UUID}' and ${ORGANIZATION_OF_ROLE} is not null`;

function dropViews(name: string): string {
  return `do $$ declare found record; begin
  for found in select viewname from pg_views where schemaname = 'report' and viewowner = ${pg.escapeLiteral(viewOwner(name))} loop
    execute format('drop view report.%I', found.viewname);
  end loop; end $$`;
}

/** SQL: other owners' views and functions that use our views, directly or through other views. */
function dependents(name: string): string {
  return `with recursive own as (
    select oid from pg_class where relkind = 'v' and relnamespace = to_regnamespace('report')
      and pg_get_userbyid(relowner) = ${pg.escapeLiteral(viewOwner(name))}),
  used as (
    select oid from own
    union
    select rule.ev_class from used join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = used.oid
      join pg_rewrite rule on d.classid = 'pg_rewrite'::regclass and d.objid = rule.oid)
  select pg_describe_object('pg_class'::regclass, oid, 0) as found from used where oid not in (select oid from own)
  union
  select pg_describe_object(d.classid, d.objid, 0) from used join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = used.oid
  where d.classid = 'pg_proc'::regclass
  order by found`;
}

/** Throws a {@link StartError} before anything is changed: this service must not drop other people's views. */
async function requireNoDependents(client: pg.Client, { name, target }: Database): Promise<void> {
  const { rows } = await client.query<{ found: string }>(dependents(name));
  if (rows.length === 0) return;
  const found = rows.map((row) => row.found).join(', ');
  throw new StartError(
    `This version replaces the views in schema report of database ${target.dbName}, but others use them: ${found}. Save their definitions (pg_get_viewdef or pg_get_functiondef), drop them, start again, and create them again`,
  );
}

/** How long to wait for each session to end. */
export const TERMINATION_MILLISECONDS = 5000;

/**
 * SQL: condition on `pg_stat_activity` for sessions of SQL tools in this database that the current role may end. The role
 * that created the group is a member of it with the admin option, and is not a tool.
 */
export const IS_REPORT_SESSION = `datname = current_database() and pg_has_role(usesysid, 'usage') and usesysid in (
    select member from pg_auth_members where roleid = to_regrole('${READERS}') group by member having not bool_or(admin_option))`;

/** Statements that replace the views of a database. The account must be a member of the views' owner. */
export function replaceViews({ name, reportViews }: Pick<Database, 'name' | 'reportViews'>): string[] {
  const owner = pg.escapeIdentifier(viewOwner(name));
  const policies = new Map(
    reportViews.flatMap(({ tables, isShared }) => tables.map((table) => [table, isShared ? OWN_OR_SHARED : OWN])),
  );
  return [
    `grant usage on schema public to ${owner}`,
    `grant select on ${[...policies.keys()].join(', ')} to ${owner}`,
    ...[...policies].flatMap(([table, policy]) => [
      `drop policy if exists report on ${table}`,
      `create policy report on ${table} for select to ${owner} using (${policy})`,
    ]),
    dropViews(name),
    `set local role ${owner}`,
    `grant usage on schema report to ${READERS}`,
    ...reportViews.flatMap((view) => [
      `create view report.${view.name} with (security_barrier) as ${view.query}`,
      `grant select on report.${view.name} to ${READERS}`,
    ]),
    'reset role',
    `comment on schema report is '${versionOf(reportViews)}'`,
  ];
}

function versionOf(reportViews: Database['reportViews']): string {
  return createHash('sha256')
    .update(JSON.stringify([reportViews, OWN_OR_SHARED]))
    .digest('hex');
}

/**
 * Drops the views while migrations run, because PostgreSQL refuses to change columns that a view uses, and creates them
 * again afterwards. Also replaces them if only their definitions have changed.
 */
export async function withoutReportViews<T>(
  client: pg.Client,
  database: Database,
  migrate: () => Promise<T>,
): Promise<T> {
  const { rows } = await client.query<{ version: string | null }>(
    `select obj_description(oid, 'pg_namespace') as version from pg_namespace where nspname = 'report' and ${hasSqlAccess(database.name)}`,
  );
  const [found] = rows;
  if (found === undefined) return migrate();
  const isPending = (await database.orm.migrator.getPending()).length > 0;
  if (!isPending && found.version === versionOf(database.reportViews)) return migrate();
  await requireNoDependents(client, database);
  // Keep tools out and disconnect them, because an open transaction would block the migrations.
  const connect = `connect on database ${pg.escapeIdentifier(database.target.dbName)}`;
  await client.query(
    `begin; revoke usage on schema report from ${READERS}; revoke ${connect} from ${READERS}; comment on schema report is null; commit`,
  );
  await client.query(
    `select pg_terminate_backend(pid, ${TERMINATION_MILLISECONDS}) from pg_stat_activity where ${IS_REPORT_SESSION}`,
  );
  await client.query(dropViews(database.name));
  const result = await migrate();
  await client.query(['begin', ...replaceViews(database), `grant ${connect} to ${READERS}`, 'commit'].join(';\n'));
  return result;
}
