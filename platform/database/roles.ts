/** The roles in each database, one that serves requests under row-level security and one that runs jobs across organizations; how they are taken. */
import pg from 'pg';

/** Every transaction of a request takes this role: it sees the rows of `app.organization_id` alone. */
export function servingRole(name: string): string {
  return `${name}_serving`;
}

/** Jobs and services that cross organizations take this role. */
export function jobsRole(name: string): string {
  return `${name}_jobs`;
}

/**
 * Settings until the end of the transaction, as commands. A function (`set_config`) does the same on one server; on several, each command is
 * taken on to the node that answers, and what a function sets stays where it ran: the node's policies would see no organization, and no row.
 */
export function setLocal(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `set local ${pg.escapeIdentifier(name)} = ${pg.escapeLiteral(value)}`)
    .join('; ');
}
