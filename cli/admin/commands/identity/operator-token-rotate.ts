/** Rotates an operator token. The new token is shown only in this output. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text } from '../../../kit/flags.ts';

const DOCUMENT = graphql(`mutation OperatorTokenRotate($name: String!) {
  operatorTokenRotate(input: { name: $name }) { newOperatorToken { operator_token: token operatorToken { id name created_at: createdAt } } userErrors { message code } }
}`);

export const operatorTokenRotate: Command = {
  name: 'operator token rotate',
  summary: 'Replaces an operator token. The old one stops working immediately; the new one is shown only once.',
  flags: {
    name: { form: text('N'), required: true, about: 'the name of the token; the one in first-run.json is `first-run`' },
  },
  async run(args, gateway) {
    const { operator_token, operatorToken } = (await gateway.ask(DOCUMENT, { name: args.text('name') }))
      .operatorTokenRotate.newOperatorToken!;
    return { output: { operator_token, ...operatorToken } };
  },
};
