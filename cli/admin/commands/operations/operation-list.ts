/** Lists long operations, newest first. */
import { graphql } from '#schema/graphql.ts';
import { COUNT, ID, text } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';

const DOCUMENT = graphql(`query Operations($state: String, $limit: Int!) {
  costing: costingOperations(state: $state, limit: $limit) {
    id kind organization_id: organizationId state done total last_error: lastError started_at: startedAt updated_at: updatedAt
  }
  attribution: attributionOperations(state: $state, limit: $limit) {
    id kind organization_id: organizationId state done total last_error: lastError started_at: startedAt updated_at: updatedAt
  }
}`);

export const operationList: Command = {
  name: 'operation list',
  summary: 'Lists repricings, reverts and other long operations, newest first.',
  flags: {
    organization: { form: ID, about: 'default: all organizations' },
    state: { form: text('S'), about: 'running, cancelled, failed or finished' },
    limit: { form: COUNT, about: 'default: 50' },
  },
  async run(args, gateway) {
    const variables = { state: args.optional('state'), limit: args.optionalCount('limit') ?? 50 };
    const found = await gateway.ask(DOCUMENT, variables, args.optional('organization'));
    const newestFirst = Object.values(found)
      .flat()
      .sort((one, other) => (one.id < other.id ? 1 : -1));
    return { output: newestFirst.slice(0, variables.limit) };
  },
};
