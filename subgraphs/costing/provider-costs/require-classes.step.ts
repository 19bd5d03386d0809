/**
 * Refuses a term for a class in which nothing is ever charged: the term would have no effect, and nobody would notice.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { nearestText } from '#kernel/nearest-text.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { fail } from '#kernel/errors.ts';
import { TOKEN_CLASS_NAMES, wireName } from '#schema/token-classes.ts';
import { chargedUnits } from '../rates/matching/charged-units.query.ts';

/** Also contains `units`, for cards that are priced per unit, and `override`, for costs that the sender states. */
const CLASSES: readonly string[] = [...TOKEN_CLASS_NAMES.map(wireName), 'units', 'override'];

/** `name`: the field's name in error messages. Null classes stand for all classes. Fails with `VALIDATION_ERROR`. */
export async function requireClasses(
  tx: Transaction,
  organizationId: OrganizationId,
  name: string,
  classes: readonly string[] | null,
): Promise<void> {
  const others = classes?.filter((one) => !CLASSES.includes(one)) ?? [];
  if (others.length === 0) return;
  const known = [...CLASSES, ...(await chargedUnits(tx, organizationId))];
  const unknown = others.find((one) => !known.includes(one));
  if (unknown === undefined) return;
  const near = nearestText(unknown, known);
  fail(
    'VALIDATION_ERROR',
    `${name} contains ${unknown}, which is neither a token class nor a unit on a rate card${near === null ? '' : `. Did you mean ${near}?`}`,
  );
}
