/** Shows one long operation and its parameters. */
import { graphql } from '#schema/graphql.ts';
import { ID } from '../../../kit/flags.ts';
import type { Command } from '../../command.ts';

const DOCUMENT = graphql(`query Operation($id: ID!) {
  costing: costingOperation(id: $id) {
    id kind organization_id: organizationId parameters { name value } state done total last_error: lastError result { name count }
    started_at: startedAt updated_at: updatedAt finished_at: finishedAt
  }
  attribution: attributionOperation(id: $id) {
    id kind organization_id: organizationId parameters { name value } state done total last_error: lastError result { name count }
    started_at: startedAt updated_at: updatedAt finished_at: finishedAt
  }
}`);

export const operationShow: Command = {
  name: 'operation show',
  summary: 'Shows the progress and the parameters of a long operation.',
  flags: { id: { form: ID, required: true, about: 'the id of the operation' } },
  async run(args, gateway) {
    const found = Object.values(await gateway.ask(DOCUMENT, { id: args.text('id') })).find((each) => each);
    if (!found) throw new Error(`Operation ${args.text('id')} not found`);
    return { output: found };
  },
};
