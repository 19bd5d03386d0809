/**
 * SQL for the row of a tenant table with this id, as a subquery for `cross join lateral`. All parameters are SQL. Reads
 * one row of the primary key, regardless of statistics: only that index returns an organization's rows in the order of
 * their ids.
 *
 * With a plain `organization_id = … and id = …`, every index that begins with the organization seems equally good for
 * an organization that the statistics do not contain yet: the planner expects it to have a single row. It then may read
 * all rows of the organization for each id.
 */
export function rowById(table: string, organization: string, id: string): string {
  return `(
    select * from (
      select * from ${table} where organization_id = ${organization} and id >= ${id} order by id limit 1) as next
    where next.id = ${id})`;
}
