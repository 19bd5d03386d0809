/** Goes on with a long operation that was cancelled or has failed. */
import { graphql } from '../../../../schema/graphql.ts';
import { ID } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';
import { watchOperation } from '../../watch-operation.ts';

const DOCUMENT = graphql(`mutation ResumeOperation($id: ID!) {
  operation: resumeCostingOperation(id: $id) { id kind }
}`);

export const operationResume: Command = {
  name: 'operation resume',
  summary: 'Goes on with a long operation that was cancelled or has failed, and waits for its end.',
  flags: { id: { form: ID, required: true, about: 'the operation' } },
  async run(args, gateway) {
    const { operation } = await gateway.ask(DOCUMENT, { id: args.text('id') });
    await watchOperation(gateway, operation.id);
    return { output: { ...operation, state: 'finished' } };
  },
};
