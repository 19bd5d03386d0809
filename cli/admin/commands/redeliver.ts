/** Compares the facts of a period with costing's ledger and repairs the differences. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../command.ts';
import { ID, TIME } from '../../kit/flags.ts';

const DOCUMENT = graphql(`mutation Redeliver($start: Instant!, $end: Instant!) {
  rebuildStart(input: { start: $start, end: $end }) { organizations userErrors { message code } }
}`);

export const redeliver: Command = {
  name: 'redeliver',
  summary:
    "Compares the facts of a period with costing's ledger and repairs differences. To wait for it, run `settle`.",
  flags: {
    organization: { form: ID, about: 'default: all organizations' },
    start: { form: TIME, required: true, about: 'events from this time on' },
    end: { form: TIME, required: true, about: 'events before this time' },
  },
  async run(args, gateway) {
    const window = { start: args.text('start'), end: args.text('end') };
    const { rebuildStart } = await gateway.ask(DOCUMENT, window, args.optional('organization'));
    return { output: { organizations: rebuildStart.organizations } };
  },
};
