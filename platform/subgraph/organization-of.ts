/** The tenant of a request, taken from the principal only. */
import { fail } from '#kernel/errors.ts';
import type { SubgraphContext } from './context.ts';

/** Fails with `FORBIDDEN` if the caller has no organization. */
export function organizationOf(context: SubgraphContext): string {
  return (
    context.principal.organizationId ??
    fail('FORBIDDEN', 'An organization is required: set the X-Organization-ID header')
  );
}
