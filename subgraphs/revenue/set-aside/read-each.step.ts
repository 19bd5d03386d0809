/** Reads the objects of a page one by one. Unreadable ones are set aside and do not block the others. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { UnreadableObject } from '../stripe/processor-error.ts';
import { clearSetAside, type ObjectToSetAside, setAside, type SetAsideKind } from './set-aside-object.table.ts';

/** Destination of set-aside objects. */
export interface SetAsideTarget {
  readonly organizationId: OrganizationId;
  write<Result>(work: (tx: WriteTransaction, now: Date) => Promise<Result>): Promise<Result>;
}

/**
 * `read` may fetch the rest of an object: an object is read completely or set aside. Errors other than
 * `UnreadableObject` are rethrown.
 */
export async function readEach<Raw, Result>(
  target: SetAsideTarget,
  kind: SetAsideKind,
  objects: readonly Raw[],
  read: (object: Raw) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const readIds: string[] = [];
  const unreadable: ObjectToSetAside[] = [];
  for (const object of objects) {
    try {
      results.push(await read(object));
      readIds.push(processorIdOf(object));
    } catch (error) {
      if (!(error instanceof UnreadableObject)) throw error;
      unreadable.push({ id: processorIdOf(object), reason: error.message.replaceAll('\0', '').slice(0, REASON_MAX) });
    }
  }
  const { organizationId } = target;
  const cause = 'unreadable';
  await target.write(async (tx, now) => {
    await clearSetAside(tx, organizationId, { kind, cause }, readIds);
    await setAside(tx, organizationId, { kind, cause }, unreadable, now);
  });
  return results;
}

const REASON_MAX = 500;
const ID_MAX = 255;
const UNNAMED = '(without an id)';

/** Id of an object as sent. All objects without an id share one. */
export function processorIdOf(object: unknown): string {
  const id = typeof object === 'object' && object !== null && 'id' in object ? object.id : null;
  return typeof id === 'string' && id !== '' ? id.replaceAll('\0', '').slice(0, ID_MAX) : UNNAMED;
}
