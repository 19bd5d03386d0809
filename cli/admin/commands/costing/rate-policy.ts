/** Sets how to treat events with a pricing context that their rate card has no price for. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { oneOf } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const SET = graphql(`mutation RatePolicySet($choice: UnknownContextChoice!) {
  contextPolicySet(input: { unknownContext: $choice }) { requeuedEvents userErrors { message } }
}`);
const GET = graphql(`query RatePolicy {
  contextPolicy { unknown_context: unknownContext changed_at: changedAt }
}`);

export const ratePolicy: Command = {
  name: 'rate policy',
  summary:
    'Sets what happens to calls whose rate card has no price for their tier, speed or region. Without a flag, shows the policy.',
  flags: {
    organization: ORGANIZATION,
    'unknown-context': {
      form: oneOf('wait', 'base'),
      about: 'wait: until a rate is set; base: price without that part, and flag the cost',
    },
  },
  async run(args, gateway) {
    const organization = args.text('organization');
    const choice = args.optional('unknown-context');
    const changed =
      choice === undefined
        ? null
        : await gateway.ask(SET, { choice: choice === 'base' ? 'BASE' : 'WAIT' }, organization);
    const requeued = changed === null ? {} : { requeued_events: changed.contextPolicySet.requeuedEvents };
    const { contextPolicy } = await gateway.ask(GET, {}, organization);
    return { output: { ...contextPolicy, ...requeued } };
  },
};
