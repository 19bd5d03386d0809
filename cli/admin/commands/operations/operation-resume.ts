/** Resumes a long operation that was cancelled or has failed. */
import { graphql } from '#schema/graphql.ts';
import { ID } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';
import { isOfCosting } from '../../operation-home.ts';
import { watchOperation } from '../../watch-operation.ts';

const COSTING = graphql(
  'mutation ResumeCostingOperation($id: ID!) { outcome: costingOperationResume(input: { id: $id }) { operation { id kind } userErrors { message code } } }',
);
const ATTRIBUTION = graphql(
  'mutation ResumeAttributionOperation($id: ID!) { outcome: attributionOperationResume(input: { id: $id }) { operation { id kind } userErrors { message code } } }',
);

export const operationResume: Command = {
  name: 'operation resume',
  summary: 'Resumes a cancelled or failed long operation and waits until it finishes.',
  flags: { id: { form: ID, required: true, about: 'the id of the operation' } },
  async run(args, gateway) {
    const id = args.text('id');
    const document = (await isOfCosting(gateway, id)) ? COSTING : ATTRIBUTION;
    const { operation } = (await gateway.ask(document, { id })).outcome;
    await watchOperation(gateway, id);
    return { output: { ...operation, state: 'finished' } };
  },
};
