/** Closes months: what would change them is booked in the open one from then on. */
import { endOfMonth } from '../../../kernel/time/closed-months.ts';
import { now } from '../../../platform/clock.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { fail } from '../../../schema/errors.ts';
import type { Closing } from '../resolvers.generated.ts';
import { moveClosing, parseMonth } from './move-closing.step.ts';

/** Closes all months up to and with `through`. Fails with `VALIDATION_ERROR` for a month that has not ended. */
export async function closeRevenue(context: SubgraphContext, through: string): Promise<Closing> {
  const until = endOfMonth(parseMonth(through, 'through'));
  if (until > now()) fail('VALIDATION_ERROR', 'Only a month that has ended can be closed');
  return moveClosing(context, { action: 'month.closed', detail: through, until, isForward: true });
}
