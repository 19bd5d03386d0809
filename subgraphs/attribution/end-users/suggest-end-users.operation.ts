/** Suggests end users whose external id contains a text, for selection in forms. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#schema/errors.ts';
import { suggestEndUsersBy } from './end-user.table.ts';

const LIMIT_MAX = 50;
const TEXT_MAX = 255;

/** Fails with `VALIDATION_ERROR`. */
export async function suggestEndUsers(
  context: SubgraphContext,
  { text, limit }: { text: string; limit: number },
): Promise<{ externalId: string }[]> {
  if (text.length < 1 || text.length > TEXT_MAX || text.includes('\0'))
    fail('VALIDATION_ERROR', `text must have 1 to ${TEXT_MAX} characters`);
  if (limit < 1 || limit > LIMIT_MAX) fail('VALIDATION_ERROR', `limit must be from 1 to ${LIMIT_MAX}`);
  const organizationId = organizationOf(context);
  return context.database.readOnce(organizationId, (tx) => suggestEndUsersBy(tx, organizationId, { text, limit }));
}
