/** Grant checks for entities and arguments, where `@scope` on a field is not enough. */
import { fail } from '#kernel/errors.ts';
import { missingGrant } from '#schema/scopes-of-field.ts';
import type { SubgraphContext } from './context.ts';

/** Fails with `FORBIDDEN` unless the caller has one of the grants. */
export function requireGrant({ principal }: Pick<SubgraphContext, 'principal'>, needs: readonly string[]): void {
  const missing = missingGrant(principal.grants, needs);
  if (missing !== null) fail('FORBIDDEN', missing);
}
