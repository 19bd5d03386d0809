/** Removes an account user for good. */
import { graphql } from '../../../../schema/graphql.ts';
import type { Command } from '../../command.ts';
import { USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql(
  'mutation UserRemove($id: ID!) { accountUserRemove(id: $id) { endedAccess { sessions_ended: sessions keys_revoked: apiKeys } userErrors { message } } }',
);

export const userRemove: Command = {
  name: 'user remove',
  summary: 'Removes an account user for good; its sessions end and its keys are revoked at once.',
  flags: USER_FLAGS,
  async run(args, gateway) {
    const id = await userIdOf(args, gateway);
    return { output: { id, ...(await gateway.ask(DOCUMENT, { id })).accountUserRemove.endedAccess } };
  },
};
