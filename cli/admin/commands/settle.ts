/** Waits until no event is pending and every follower of the priced feed has caught up. */
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '../../../platform/clock.ts';
import type { OperatorGateway } from '../../kit/operator-gateway.ts';
import { graphql } from '../../../schema/graphql.ts';
import type { Command } from '../command.ts';
import { COUNT } from '../../kit/flags.ts';

const DOCUMENT = graphql('query Backlog { pricingBacklog { pendingEvents feedLag } attributionLag { batches } }');
const TIMEOUT_SECONDS = 60;
const LOOK_EVERY_MILLISECONDS = 100;
/** A batch may leave the queue a moment before it shows in the feed: once is not enough. */
const QUIET_LOOKS = 2;

export const settle: Command = {
  name: 'settle',
  summary: 'Waits until no event is pending and every follower has caught up.',
  flags: { timeout: { form: COUNT, about: `seconds to wait; default: ${TIMEOUT_SECONDS}` } },
  async run(args, gateway) {
    const seconds = args.optionalCount('timeout') ?? TIMEOUT_SECONDS;
    const until = elapsedMilliseconds() + seconds * 1000;
    for (let quiet = 0; ;) {
      const output = await look(gateway);
      quiet = output.pending === 0 && output.lag === 0 ? quiet + 1 : 0;
      if (quiet >= QUIET_LOOKS) return { output };
      if (elapsedMilliseconds() >= until)
        return {
          output,
          error: `Not settled after ${seconds} s: ${output.pending} events pending, ${output.lag} batches behind`,
        };
      await pause(LOOK_EVERY_MILLISECONDS);
    }
  },
};

async function look(gateway: OperatorGateway): Promise<{ pending: number; lag: number }> {
  const { pricingBacklog, attributionLag } = await gateway.ask(DOCUMENT);
  return { pending: pricingBacklog.pendingEvents, lag: Math.max(pricingBacklog.feedLag, attributionLag.batches) };
}
