/** Lists all organizations. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';

const DOCUMENT = graphql(
  'query OrganizationList { organizations { organization_id: id name created_at: createdAt requires_second_factor: requiresSecondFactor sample_of: sampleOf } }',
);

export const organizationList: Command = {
  name: 'organization list',
  summary: 'Lists every organization.',
  flags: {},
  async run(_args, gateway) {
    return { output: (await gateway.ask(DOCUMENT)).organizations };
  },
};
