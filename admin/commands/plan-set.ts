/** Sets the plan of an organization. */
import { graphql } from '../../schema/graphql.ts';
import type { Command } from '../command.ts';
import { COUNT, TIME } from '../flag-forms.ts';
import { ORGANIZATION } from '../organization-flag.ts';

const DOCUMENT = graphql(`mutation PlanSet($allotment: Float!, $softLimit: Float, $renewsAt: Instant) {
  setPlan(allotment: $allotment, softLimit: $softLimit, renewsAt: $renewsAt) {
    organization_id: organizationId allotment soft_limit: softLimit allotment_left: allotmentLeft
    packs_left: packsLeft credits_left: creditsLeft renews_at: renewsAt
  }
}`);

export const planSet: Command = {
  name: 'plan set',
  summary: 'Sets how many events the plan of an organization allots in each period.',
  flags: {
    organization: ORGANIZATION,
    allotment: { form: COUNT, required: true, about: 'events in each period' },
    'soft-limit': { form: COUNT, about: 'past so many events of the period, events are flagged; default: 80 % of the allotment' },
    'renews-at': { form: TIME, about: 'when the allotment starts anew; default: a month from now' },
  },
  async run(given, gateway) {
    const plan = { allotment: given.count('allotment'), softLimit: given.optionalCount('soft-limit'), renewsAt: given.optional('renews-at') };
    const { setPlan } = await gateway.ask(DOCUMENT, plan, given.text('organization'));
    return { output: setPlan };
  },
};
