/** How a long operation goes through all organizations, also while a node is away: those of the others first. */
import { findAcross, type Look } from '../database/nodes/look-across.ts';
import type { Database } from '../database/open-database.ts';

export interface NextOrganization {
  readonly organizationId: string;
  /** For the place to keep: those of a node that was away are missing so far, and all are gone through once more. */
  readonly isAgain?: true | undefined;
}

/**
 * `look` finds the first organization behind the operation's place. `again`: there is none, but some have been passed by; it begins from the
 * start. Fails while those that are left are away: it is tried again, and the operation says what it waits for.
 */
export async function nextOfAll(
  database: Database,
  look: Look<{ readonly organizationId: string }>,
  isAgain: true | undefined,
): Promise<NextOrganization | 'none' | 'again'> {
  const { rows, away } = await findAcross(database, look);
  const [next] = rows;
  if (next) return { organizationId: next.organizationId, isAgain: away === null ? isAgain : true };
  if (away !== null) throw away;
  return isAgain ? 'again' : 'none';
}
