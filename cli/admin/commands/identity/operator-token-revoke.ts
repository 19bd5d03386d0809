/** Revokes an operator token at once; the last one cannot be revoked. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text } from '../../../kit/flags.ts';

const DOCUMENT = graphql(
  'mutation OperatorTokenRevoke($name: String!) { operatorTokenRevoke(input: { name: $name }) { operatorToken { id name revoked_at: revokedAt } userErrors { message code } } }',
);

export const operatorTokenRevoke: Command = {
  name: 'operator token revoke',
  summary: 'Revokes an operator token immediately. The last one cannot be revoked.',
  flags: { name: { form: text('N'), required: true, about: 'the name of the token, not the token itself' } },
  async run(args, gateway) {
    return {
      output: (await gateway.ask(DOCUMENT, { name: args.text('name') })).operatorTokenRevoke.operatorToken,
    };
  },
};
