/** A set-aside object as returned to clients. */
import { enumValue } from '#kernel/enum-value.ts';
import type { SetAsideObject } from '../resolvers.generated.ts';
import type { SetAsideRow } from './set-aside-object.table.ts';

export function toSetAsideView(row: SetAsideRow): SetAsideObject {
  return {
    kind: row.kind,
    objectKind: enumValue(row.kind),
    id: row.objectId,
    cause: row.cause,
    setAsideCause: enumValue(row.cause),
    reason: row.reason,
    firstSeenAt: row.firstSeenAt,
    lastSeenAt: row.lastSeenAt,
  };
}
