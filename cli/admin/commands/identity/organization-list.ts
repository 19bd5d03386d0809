/** Lists all organizations. Deleted ones have no name any more. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';

const DOCUMENT = graphql(
  'query OrganizationList { organizations { organization_id: id name created_at: createdAt deleted_at: deletedAt requires_second_factor: requiresSecondFactor sample_of: sampleOf } }',
);

export const organizationList: Command = {
  name: 'organization list',
  summary: 'Lists every organization.',
  flags: {},
  async run(_args, gateway) {
    const { organizations } = await gateway.ask(DOCUMENT);
    const output = organizations.map((one) => (one.deleted_at === null ? one : { ...one, name: 'deleted' }));
    return { output };
  },
};
