/** Keeps an account user out. */
import { graphql } from '../../../schema/graphql.ts';
import type { Command } from '../command.ts';
import { USER_FLAGS, userIdOf } from '../user-flags.ts';

const DOCUMENT = graphql('mutation UserDisable($id: ID!) { disableAccountUser(id: $id) { sessions_ended: sessions keys_revoked: apiKeys } }');

export const userDisable: Command = {
  name: 'user disable',
  summary: 'Keeps an account user out: its sessions end and its keys are revoked at once.',
  flags: USER_FLAGS,
  async run(given, gateway) {
    const id = await userIdOf(given, gateway);
    return { output: { id, ...(await gateway.ask(DOCUMENT, { id })).disableAccountUser } };
  },
};
