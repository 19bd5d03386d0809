/** Requires a second factor of every account user of an organization, or stops requiring it. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { oneOf } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`mutation OrganizationSecondFactor($required: Boolean!) {
  organizationRequireSecondFactor(input: { required: $required }) {
    organization { organization_id: id name requires_second_factor: requiresSecondFactor } userErrors { message }
  }
}`);

export const organizationSecondFactor: Command = {
  name: 'organization second-factor',
  summary: 'Sets whether every account user of an organization must use a second factor.',
  flags: {
    organization: ORGANIZATION,
    required: {
      form: oneOf('yes', 'no'),
      required: true,
      about: 'yes: account users without one must set it up first',
    },
  },
  async run(args, gateway) {
    const required = args.text('required') === 'yes';
    const changed = await gateway.ask(DOCUMENT, { required }, args.text('organization'));
    return { output: changed.organizationRequireSecondFactor.organization };
  },
};
