/** Renames an organization. */
import { graphql } from '#schema/graphql.ts';
import { text } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`mutation RenameOrganizationAsOperator($name: String!) {
  organizationRename(input: { name: $name }) { organization { organization_id: id name } userErrors { message } }
}`);

export const organizationRename: Command = {
  name: 'organization rename',
  summary: 'Renames an organization.',
  flags: {
    organization: ORGANIZATION,
    name: { form: text('N'), required: true, about: 'the new name' },
  },
  async run(args, gateway) {
    const { organizationRename: renamed } = await gateway.ask(
      DOCUMENT,
      { name: args.text('name') },
      args.text('organization'),
    );
    return { output: renamed.organization };
  },
};
