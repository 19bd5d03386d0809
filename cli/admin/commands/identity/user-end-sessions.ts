/** Signs an account user out. */
import { graphql } from '../../../../schema/graphql.ts';
import type { Command } from '../../command.ts';
import { USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql('mutation UserEndSessions($id: ID!) { endAccountUserSessions(id: $id) }');

export const userEndSessions: Command = {
  name: 'user end-sessions',
  summary: 'Signs an account user out everywhere; its keys go on.',
  flags: USER_FLAGS,
  async run(args, gateway) {
    const id = await userIdOf(args, gateway);
    return { output: { id, sessions_ended: (await gateway.ask(DOCUMENT, { id })).endAccountUserSessions } };
  },
};
