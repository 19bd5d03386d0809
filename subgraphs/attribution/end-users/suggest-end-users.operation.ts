/** Suggests end users whose external id contains a text, for selection in forms. */
import { checkFirst } from '#kernel/page-cursor.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { suggestEndUsersBy } from './end-user.table.ts';

const FIRST_MAX = 50;
const TEXT_MAX = 255;

/** Fails with `VALIDATION_ERROR`. */
export async function suggestEndUsers(
  context: SubgraphContext,
  { text, first }: { text: string; first: number },
): Promise<{ externalId: string }[]> {
  if (text.length < 1 || text.length > TEXT_MAX || text.includes('\0'))
    fail('VALIDATION_ERROR', `text must have 1 to ${TEXT_MAX} characters`);
  checkFirst(first, FIRST_MAX);
  const organizationId = organizationOf(context);
  return context.database.find(organizationId, (tx) => suggestEndUsersBy(tx, organizationId, { text, limit: first }));
}
