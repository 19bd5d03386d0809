/** The names of the roles in each database: one serves requests under row-level security, one runs jobs across organizations. */
import type { SubgraphName } from '../../schema/subgraph-names.ts';

/** Every transaction of a request takes this role: it sees the rows of `app.organization_id` alone. */
export function servingRole(name: SubgraphName): string {
  return `${name}_serving`;
}

/** Jobs and services that cross organizations take this role. */
export function jobsRole(name: SubgraphName): string {
  return `${name}_jobs`;
}
