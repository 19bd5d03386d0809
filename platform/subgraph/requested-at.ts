/** When a request came, for windows that end now: each of its subgraphs is asked at another moment, and all must mean the same one. */
import { now } from '../clock.ts';
import type { SubgraphContext } from './context.ts';

export function requestedAt({ principal }: Pick<SubgraphContext, 'principal'>): Date {
  return principal.requestedAt === undefined ? now() : new Date(principal.requestedAt);
}
