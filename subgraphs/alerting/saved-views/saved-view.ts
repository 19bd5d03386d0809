/** A saved view as the schema describes it. */
import type { SavedView } from '../resolvers.generated.ts';
import type { SavedViewRow } from './saved-view.table.ts';

export function toSavedView({ id, name, path, onlyFor, savedAt, savedBy }: SavedViewRow): SavedView {
  return { id, name, path, isShared: onlyFor === null, savedAt: savedAt.toISOString(), savedBy };
}
