/** Creates a named operator token. The token is shown only in this output. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text } from '../../../kit/flags.ts';

const DOCUMENT = graphql(`mutation OperatorTokenCreate($name: String!) {
  operatorTokenCreate(input: { name: $name }) { newOperatorToken { operator_token: token operatorToken { id name created_at: createdAt } } userErrors { message code } }
}`);

export const operatorTokenCreate: Command = {
  name: 'operator token create',
  summary: 'Creates a named operator token. The token is shown only once.',
  flags: { name: { form: text('N'), required: true, about: 'the name of the token, which must be unique' } },
  async run(args, gateway) {
    const { operator_token, operatorToken } = (await gateway.ask(DOCUMENT, { name: args.text('name') }))
      .operatorTokenCreate.newOperatorToken!;
    return { output: { operator_token, ...operatorToken } };
  },
};
