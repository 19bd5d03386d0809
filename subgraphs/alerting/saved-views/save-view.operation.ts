/** Saves the address of a page under a name. */
import { now } from '#platform/clock.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { uuidsV7 } from '#platform/uuid-v7.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { NAME_LENGTH_MAX, OWN_VIEWS_MAX, SHARED_VIEWS_MAX, VIEW_PATH_LENGTH_MAX } from '../config.ts';
import type { SavedView, SavedViewAddInput } from '../resolvers.generated.ts';
import { countSavedViews, insertSavedView, type SavedViewRow } from './saved-view.table.ts';
import { toSavedView } from './saved-view.ts';

/** Base URL for parsing paths; its host cannot exist. */
const NOWHERE = 'http://nowhere.invalid';

/** Fails with `VALIDATION_ERROR` for an invalid name or path, or beyond a limit. */
export async function saveView(context: SubgraphContext, input: SavedViewAddInput): Promise<SavedView> {
  const organizationId = organizationOf(context);
  const { principal } = context;
  const name = input.name.trim();
  if (name === '' || name.length > NAME_LENGTH_MAX)
    fail('VALIDATION_ERROR', `name must have 1 to ${NAME_LENGTH_MAX} characters`);
  const path = pathOf(input.path);
  const isShared = input.isShared ?? false;
  const onlyFor = isShared ? null : principal.accountUserId;
  if (!isShared && onlyFor === null) fail('VALIDATION_ERROR', 'isShared must be true for a caller who is not a person');
  return context.database.write(organizationId, async (tx) => {
    await lockOrganization(tx, 'savedViews', organizationId);
    const limit = isShared ? SHARED_VIEWS_MAX : OWN_VIEWS_MAX;
    if ((await countSavedViews(tx, { organizationId, onlyFor })) >= limit)
      fail(
        'VALIDATION_ERROR',
        `${isShared ? 'An organization can share' : 'A person can save'} at most ${limit} views: delete one first`,
      );
    const at = now();
    const [id = ''] = uuidsV7(1);
    const view: SavedViewRow = {
      organizationId,
      id,
      name,
      path,
      onlyFor,
      savedAt: at,
      savedBy: principal.accountUserId,
    };
    await insertSavedView(tx, view);
    await recordAudit(tx, { organizationId, at, action: 'view.saved', ...actorOf(principal), subjectId: id });
    return toSavedView(view);
  });
}

/** The path and query, normalized. It never refers to another site. */
function pathOf(text: string): string {
  const url = text.startsWith('/') && URL.canParse(text, NOWHERE) ? new URL(text, NOWHERE) : null;
  const path = url === null ? '' : url.pathname + url.search;
  if (url?.origin !== NOWHERE || path.startsWith('//') || path.length > VIEW_PATH_LENGTH_MAX)
    return fail(
      'VALIDATION_ERROR',
      `path must be the path and query of a page, with at most ${VIEW_PATH_LENGTH_MAX} characters`,
    );
  return path;
}
