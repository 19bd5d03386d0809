/** Lists long operations, newest first. */
import { enumValue } from '#kernel/enum-value.ts';
import { graphql } from '#schema/graphql.ts';
import { COUNT, ID, oneOf } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';

const DOCUMENT = graphql(`query Operations($state: OperationState, $limit: Int!) {
  costing: costingOperations(state: $state, first: $limit) {
    nodes { id kind organization_id: organizationId state done total last_error: lastError started_at: startedAt updated_at: updatedAt }
  }
  attribution: attributionOperations(state: $state, first: $limit) {
    nodes { id kind organization_id: organizationId state done total last_error: lastError started_at: startedAt updated_at: updatedAt }
  }
}`);

const STATES = ['running', 'cancelled', 'failed', 'finished'] as const;

export const operationList: Command = {
  name: 'operation list',
  summary: 'Lists repricings, reverts and other long operations, newest first.',
  flags: {
    organization: { form: ID, about: 'default: all organizations' },
    state: { form: oneOf(...STATES), about: 'default: all' },
    limit: { form: COUNT, about: 'default: 50' },
  },
  async run(args, gateway) {
    const state = STATES.find((each) => each === args.optional('state'));
    const variables = { state: state && enumValue(state), limit: args.optionalCount('limit') ?? 50 };
    const found = await gateway.ask(DOCUMENT, variables, args.optional('organization'));
    const newestFirst = Object.values(found)
      .flatMap(({ nodes }) => nodes)
      .sort((one, other) => (one.id < other.id ? 1 : -1));
    return { output: newestFirst.slice(0, variables.limit) };
  },
};
