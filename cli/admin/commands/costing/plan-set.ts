/** Sets the plan of an organization. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { COUNT, TIME } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`mutation PlanSet($allotment: Long!, $softLimit: Long, $renewsAt: Instant) {
  planSet(input: { allotment: $allotment, softLimit: $softLimit, renewsAt: $renewsAt }) { credits {
    organization_id: organizationId allotment soft_limit: softLimit allotment_left: allotmentLeft
    packs_left: packsLeft credits_left: creditsLeft renews_at: renewsAt
  } userErrors { message code } }
}`);

export const planSet: Command = {
  name: 'plan set',
  summary: "Sets the number of events per period in an organization's plan.",
  flags: {
    organization: ORGANIZATION,
    allotment: { form: COUNT, required: true, about: 'events per period' },
    'soft-limit': {
      form: COUNT,
      about: 'events above this number per period are flagged; default: 80% of the allotment',
    },
    'renews-at': { form: TIME, about: 'when the next period starts; default: a month from now' },
  },
  async run(args, gateway) {
    const plan = {
      allotment: args.count('allotment'),
      softLimit: args.optionalCount('soft-limit'),
      renewsAt: args.optional('renews-at'),
    };
    const { planSet } = await gateway.ask(DOCUMENT, plan, args.text('organization'));
    return { output: planSet.credits };
  },
};
