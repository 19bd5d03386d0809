/** Cancels a long operation. */
import { graphql } from '#schema/graphql.ts';
import { ID } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';
import { isOfCosting } from '../../operation-home.ts';

const COSTING = graphql(
  'mutation CancelCostingOperation($id: ID!) { outcome: costingOperationCancel(input: { id: $id }) { operation { id kind state done total } userErrors { message code } } }',
);
const ATTRIBUTION = graphql(
  'mutation CancelAttributionOperation($id: ID!) { outcome: attributionOperationCancel(input: { id: $id }) { operation { id kind state done total } userErrors { message code } } }',
);

export const operationCancel: Command = {
  name: 'operation cancel',
  summary: 'Cancels a long operation. Completed steps are kept.',
  flags: { id: { form: ID, required: true, about: 'the id of the operation' } },
  async run(args, gateway) {
    const id = args.text('id');
    const document = (await isOfCosting(gateway, id)) ? COSTING : ATTRIBUTION;
    return { output: (await gateway.ask(document, { id })).outcome.operation };
  },
};
