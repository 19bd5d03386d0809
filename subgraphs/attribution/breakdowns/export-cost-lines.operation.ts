/** Exports the window's cost of every end user, for revenue. The gateway passes it through as one opaque value. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import { fail } from '#kernel/errors.ts';
import { HANDED_OVER_END_USERS_MAX } from '../config.ts';
import { costLines } from './cost-lines.step.ts';
import { readEndUserCosts } from './end-user-costs.query.ts';
import type { Window } from '#kernel/time/window.ts';

/** Fails with `UNPROCESSABLE_ENTITY` if there are more end users than one request may hold. */
export async function exportCostLines(context: SubgraphContext, window: Window): Promise<EndUserCostLines> {
  const organizationId = organizationOf(context);
  // One row more, for events without an end user.
  const rowsMax = HANDED_OVER_END_USERS_MAX + 1;
  const rows = await context.database.find(organizationId, (tx) =>
    readEndUserCosts(tx, organizationId, window, rowsMax + 1),
  );
  if (rows.length > rowsMax) {
    fail(
      'UNPROCESSABLE_ENTITY',
      `A margin can have at most ${HANDED_OVER_END_USERS_MAX} end users, and this organization has more`,
    );
  }
  return costLines(rows);
}
