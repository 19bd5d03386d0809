/** Lists the unpriced events of an organization, grouped by what they wait for. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';

const LIST = graphql(`query PendingEvents {
  costingHealth {
    unpriced { cause model provider reason events first_at: firstAt last_at: lastAt example_event_id: exampleEventId }
  }
}`);

export const pendingList: Command = {
  name: 'pending list',
  summary: 'Lists the events of an organization that have no cost, by model and reason.',
  flags: { organization: ORGANIZATION },
  async run(args, gateway) {
    const { unpriced } = (await gateway.ask(LIST, {}, args.text('organization'))).costingHealth;
    return { output: unpriced };
  },
};
