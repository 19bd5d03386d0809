/** Opens months that were closed. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import type { Closing } from '../resolvers.generated.ts';
import { moveClosing, parseMonth } from './move-closing.step.ts';

/** Opens all months from `from` on. What was booked elsewhere meanwhile stays where it was booked. */
export async function reopenCosts(context: SubgraphContext, from: string): Promise<Closing> {
  const until = parseMonth(from, 'from');
  return moveClosing(context, { action: 'month.reopened', detail: from, until, isForward: false });
}
