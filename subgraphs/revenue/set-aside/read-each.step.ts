/** Reads the objects of a page one by one: what cannot be read is set aside, and holds up no one else. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { UnreadableObject } from '../stripe/processor-error.ts';
import { clearSetAside, type ObjectToSetAside, setAside, type SetAsideKind } from './set-aside-object.table.ts';

/** Where what was set aside is written. */
export interface SetAsideTarget {
  readonly organizationId: string;
  write<Result>(work: (em: EntityManager, now: Date) => Promise<Result>): Promise<Result>;
}

/**
 * `read` may ask the processor for the rest of an object: an object is taken whole or not at all. Errors that are not the object's own
 * are thrown on.
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
  await target.write(async (em, now) => {
    await clearSetAside(em, organizationId, { kind, cause }, readIds);
    await setAside(em, organizationId, { kind, cause }, unreadable, now);
  });
  return results;
}

const REASON_MAX = 500;
const ID_MAX = 255;
const UNNAMED = '(without an id)';

/** Of an object as it was sent; several without an id are one. */
export function processorIdOf(object: unknown): string {
  const id = typeof object === 'object' && object !== null && 'id' in object ? object.id : null;
  return typeof id === 'string' && id !== '' ? id.replaceAll('\0', '').slice(0, ID_MAX) : UNNAMED;
}
