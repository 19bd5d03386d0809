/** Sets how to treat events with a pricing context that their rate card has no price for. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { oneOf } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const SET = graphql(`mutation RatePolicySet($choice: UnknownContextChoice!) {
  contextPolicySet(unknownContext: $choice) { requeuedEvents userErrors { message } }
}`);
const GET = graphql(`query RatePolicy {
  contextPolicy { unknown_context: unknownContext changed_at: changedAt }
}`);

export const ratePolicy: Command = {
  name: 'rate policy',
  summary:
    'Says what becomes of calls by a tier, speed or place that their rate card has no price for; alone it shows it.',
  flags: {
    organization: ORGANIZATION,
    'unknown-context': {
      form: oneOf('wait', 'base'),
      about: 'wait: for a rate; base: priced without what has no price, and flagged',
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
    const { unknown_context: current, ...policy } = contextPolicy;
    return { output: { unknown_context: current.toLowerCase(), ...policy, ...requeued } };
  },
};
