/**
 * Shows the remaining event credits of an organization. All fields are null for an organization without plan, pack and
 * limit.
 */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`query CreditsShow {
  credits {
    organization_id: organizationId allotment soft_limit: softLimit allotment_left: allotmentLeft
    packs_left: packsLeft credits_left: creditsLeft renews_at: renewsAt
  }
}`);

export const creditsShow: Command = {
  name: 'credits show',
  summary: 'Shows the remaining event credits of an organization.',
  flags: { organization: ORGANIZATION },
  async run(args, gateway) {
    return { output: (await gateway.ask(DOCUMENT, {}, args.text('organization'))).credits };
  },
};
