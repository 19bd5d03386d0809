/** Iterates a long operation over all organizations. While a node is unreachable, its organizations come last. */
import type { OrganizationId } from '#kernel/ids.ts';
import { findAcross, type Look } from '../database/nodes/look-across.ts';
import type { Database } from '../database/open-database.ts';

export interface NextOrganization {
  readonly organizationId: OrganizationId;
  /** Marks the stored offset: organizations of an unreachable node are missing, and another pass is needed. */
  readonly isAgain?: true | undefined;
}

/**
 * `look` finds the first organization after the operation's offset. `again`: there is none, but some were skipped, so
 * the pass restarts. Fails while the remaining ones are unreachable; the operation is retried and shows what it waits
 * for.
 */
export async function nextOfAll(
  database: Database,
  look: Look<{ readonly organizationId: OrganizationId }>,
  isAgain: true | undefined,
): Promise<NextOrganization | 'none' | 'again'> {
  const { rows, away } = await findAcross(database, look);
  const [next] = rows;
  if (next) return { organizationId: next.organizationId, isAgain: away === null ? isAgain : true };
  if (away !== null) throw away;
  return isAgain ? 'again' : 'none';
}
