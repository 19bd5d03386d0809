/** Creates an organization and its owner. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text } from '../../../kit/flags.ts';

const DOCUMENT = graphql(`mutation OrganizationCreate($name: String!, $ownerEmail: String!, $ownerPassword: String!) {
  organizationCreate(input: { name: $name, ownerEmail: $ownerEmail, ownerPassword: $ownerPassword }) { createdOrganization {
    organization { organization_id: id name }
    owner_user_id: ownerUserId
  } userErrors { message code } }
}`);

export const organizationCreate: Command = {
  name: 'organization create',
  summary: 'Creates an organization and its owner.',
  flags: {
    name: { form: text('N'), required: true, about: 'the name of the organization' },
    'owner-email': { form: text('E'), required: true, about: "the owner's e-mail address" },
    'owner-password': { form: text('P'), required: true, secret: true, about: "the owner's password" },
  },
  async run(args, gateway) {
    const params = {
      name: args.text('name'),
      ownerEmail: args.text('owner-email'),
      ownerPassword: args.text('owner-password'),
    };
    const { organization, owner_user_id } = (await gateway.ask(DOCUMENT, params)).organizationCreate
      .createdOrganization!;
    return { output: { ...organization, owner_user_id } };
  },
};
