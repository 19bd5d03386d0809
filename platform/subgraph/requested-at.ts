/** The time of a request, so that all its subgraphs use the same now. */
import { now } from '../clock.ts';
import type { SubgraphContext } from './context.ts';

export function requestedAt({ principal }: Pick<SubgraphContext, 'principal'>): Date {
  return principal.requestedAt === undefined ? now() : new Date(principal.requestedAt);
}
