/** Keeps an account user out. */
import { graphql } from '../../../../schema/graphql.ts';
import type { Command } from '../../command.ts';
import { USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql(
  'mutation UserDisable($id: ID!) { accountUserDisable(id: $id) { endedAccess { sessions_ended: sessions keys_revoked: apiKeys } userErrors { message } } }',
);

export const userDisable: Command = {
  name: 'user disable',
  summary: 'Keeps an account user out: its sessions end and its keys are revoked at once.',
  flags: USER_FLAGS,
  async run(args, gateway) {
    const id = await userIdOf(args, gateway);
    return { output: { id, ...(await gateway.ask(DOCUMENT, { id })).accountUserDisable.endedAccess } };
  },
};
