/** The roles in each database: one serves requests under row-level security, one runs jobs across organizations. */
import pg from 'pg';

/** Role of request transactions: it sees only rows of `app.organization_id`. */
export function servingRole(name: string): string {
  return `${name}_serving`;
}

/** Role of jobs and services across organizations. */
export function jobsRole(name: string): string {
  return `${name}_jobs`;
}

/**
 * Settings until the end of the transaction, as `set local` commands. On several nodes the coordinator forwards
 * commands to the node but not the effect of `set_config`, without which the node's policies would show no rows.
 */
export function setLocal(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `set local ${pg.escapeIdentifier(name)} = ${pg.escapeLiteral(value)}`)
    .join('; ');
}
