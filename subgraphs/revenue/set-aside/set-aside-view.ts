/** A set-aside object as returned to clients. */
import { enumValue } from '#kernel/enum-value.ts';
import type { SetAsideObject } from '../resolvers.generated.ts';
import type { SetAsideRow } from './set-aside-object.table.ts';

export function toSetAsideView(row: SetAsideRow): SetAsideObject {
  return {
    kind: enumValue(row.kind),
    id: row.objectId,
    cause: enumValue(row.cause),
    reason: row.reason,
    firstSeenAt: row.firstSeenAt,
    lastSeenAt: row.lastSeenAt,
  };
}
