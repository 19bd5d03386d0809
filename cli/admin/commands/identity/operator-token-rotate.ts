/** Rotates an operator token. The new token is shown only in this output. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text } from '../../../kit/flags.ts';

const DOCUMENT = graphql(`mutation OperatorTokenRotate($name: String!) {
  rotateOperatorToken(name: $name) { operator_token: token operatorToken { id name created_at: createdAt } }
}`);

export const operatorTokenRotate: Command = {
  name: 'operator token rotate',
  summary: 'Replaces the token of an operator: the old one ends at once, the new one is shown this once.',
  flags: {
    name: { form: text('N'), required: true, about: 'the name of the token; `first-run` is that of first-run.json' },
  },
  async run(args, gateway) {
    const { operator_token, operatorToken } = (await gateway.ask(DOCUMENT, { name: args.text('name') }))
      .rotateOperatorToken;
    return { output: { operator_token, ...operatorToken } };
  },
};
