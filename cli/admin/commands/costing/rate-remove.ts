/** Ends an organization's own rate. Booked costs stay. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ID, TIME } from '../../../kit/flags.ts';

const END = graphql(`mutation EndOwnRate($id: ID!, $at: Instant) {
  rateEnd(rateCardId: $id, at: $at) {
    rate { rate_card_id: rateCardId model_slug: modelSlug effective_to: effectiveFrom requeued_events: requeuedEvents }
    userErrors { message }
  }
}`);

export const rateRemove: Command = {
  name: 'rate remove',
  summary: 'Ends a rate that an organization has for itself; from then on everybody’s holds again.',
  flags: {
    organization: { form: ID, required: true, about: 'whose' },
    id: { form: ID, required: true, about: 'the rate card, as rate list shows it' },
    at: { form: TIME, about: 'from when on; default: now' },
  },
  async run(args, gateway) {
    const input = { id: args.text('id'), at: args.optional('at') };
    return { output: (await gateway.ask(END, input, args.text('organization'))).rateEnd.rate };
  },
};
