/** Stops a long operation where it stands. */
import { graphql } from '../../../../schema/graphql.ts';
import { ID } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';

const DOCUMENT = graphql(`mutation CancelOperation($id: ID!) {
  operation: cancelCostingOperation(id: $id) { id kind state done total }
}`);

export const operationCancel: Command = {
  name: 'operation cancel',
  summary: 'Stops a long operation where it stands. What it has done stays.',
  flags: { id: { form: ID, required: true, about: 'the operation' } },
  run: async (args, gateway) => ({ output: (await gateway.ask(DOCUMENT, { id: args.text('id') })).operation }),
};
