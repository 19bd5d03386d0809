/** Lists an organization's own rates. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';

const LIST = graphql(`query OwnRates {
  negotiatedRates {
    rate_card_id: rateCardId model_slug: modelSlug provider_slug: providerSlug in_force: isInForce
    versions { effective_from: effectiveFrom effective_to: effectiveTo unit prices { name price } }
  }
}`);

export const rateList: Command = {
  name: 'rate list',
  summary: 'Lists the custom rates of an organization, including past and future versions.',
  flags: { organization: ORGANIZATION },
  async run(args, gateway) {
    return { output: (await gateway.ask(LIST, {}, args.text('organization'))).negotiatedRates };
  },
};
