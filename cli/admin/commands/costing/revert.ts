/** Reverts a repricing. */
import { graphql } from '#schema/graphql.ts';
import { ID } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';
import { watchOperation } from '../../watch-operation.ts';
import { REPRICING } from './reprice.ts';

const START = graphql(
  `mutation StartRevert($id: ID!) { repricingRevertStart(input: { repricingId: $id }) { operation { id } userErrors { message code } } }`,
);

export const revert: Command = {
  name: 'revert',
  summary: 'Reverts a repricing by appending the opposite differences.',
  flags: { organization: ORGANIZATION, repricing: { form: ID, required: true, about: 'the id of the repricing' } },
  async run(args, gateway) {
    const organizationId = args.text('organization');
    const { id } = (await gateway.ask(START, { id: args.text('repricing') }, organizationId)).repricingRevertStart
      .operation!;
    await watchOperation(gateway, id, organizationId);
    return { output: (await gateway.ask(REPRICING, { id }, organizationId)).repricing };
  },
};
