/** The names of the roles in each database: one serves requests under row-level security, one runs jobs across organizations. */

/** Every transaction of a request takes this role: it sees the rows of `app.organization_id` alone. */
export function servingRole(name: string): string {
  return `${name}_serving`;
}

/** Jobs and services that cross organizations take this role. */
export function jobsRole(name: string): string {
  return `${name}_jobs`;
}
