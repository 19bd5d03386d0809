/** Revokes an API key at once, in any organization. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ID } from '../../../kit/flags.ts';

const DOCUMENT = graphql(`mutation KeyRevoke($id: ID!) {
  apiKeyRevoke(input: { id: $id }) { apiKey { id name revoked_at: revokedAt } userErrors { message } }
}`);

export const keyRevoke: Command = {
  name: 'key revoke',
  summary: 'Revokes an API key immediately.',
  flags: { id: { form: ID, required: true, about: 'the id of the key, not the key itself' } },
  async run(args, gateway) {
    return { output: (await gateway.ask(DOCUMENT, { id: args.text('id') })).apiKeyRevoke.apiKey };
  },
};
