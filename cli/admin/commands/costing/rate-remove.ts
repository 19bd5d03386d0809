/** Ends an organization's own rate. Booked costs stay. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ID, TIME } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const END = graphql(`mutation EndOwnRate($id: ID!, $at: Instant) {
  rateEnd(input: { rateCardId: $id, at: $at }) {
    rate { rate_card_id: rateCardId model_slug: modelSlug effective_to: effectiveFrom requeued_events: requeuedEvents }
    userErrors { message }
  }
}`);

export const rateRemove: Command = {
  name: 'rate remove',
  summary: 'Ends a custom rate of an organization. The list price applies again.',
  flags: {
    organization: ORGANIZATION,
    id: { form: ID, required: true, about: 'the id of the rate card, from rate list' },
    at: { form: TIME, about: 'when it ends; default: now' },
  },
  async run(args, gateway) {
    const input = { id: args.text('id'), at: args.optional('at') };
    return { output: (await gateway.ask(END, input, args.text('organization'))).rateEnd.rate };
  },
};
