/** Creates a named operator token. The token is shown only in this output. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text } from '../../../kit/flags.ts';

const DOCUMENT = graphql(`mutation OperatorTokenCreate($name: String!) {
  createOperatorToken(name: $name) { operator_token: token operatorToken { id name created_at: createdAt } }
}`);

export const operatorTokenCreate: Command = {
  name: 'operator token create',
  summary: 'Makes a named token for an operator. The token is shown this once.',
  flags: { name: { form: text('N'), required: true, about: 'whose it is; no two tokens have the same name' } },
  async run(args, gateway) {
    const { operator_token, operatorToken } = (await gateway.ask(DOCUMENT, { name: args.text('name') }))
      .createOperatorToken;
    return { output: { operator_token, ...operatorToken } };
  },
};
