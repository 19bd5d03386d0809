/** The tenant of a request: from the principal alone. */
import { fail } from '../../schema/errors.ts';
import type { SubgraphContext } from './context.ts';

/** Fails with `FORBIDDEN` for a caller that belongs to no organization. */
export function organizationOf(context: SubgraphContext): string {
  return (
    context.principal.organizationId ??
    fail('FORBIDDEN', 'This needs an organization: name one with the X-Organization-ID header')
  );
}
