/** Takes the second factor off an account user who has lost it. */
import { graphql } from '../../../schema/graphql.ts';
import type { Command } from '../command.ts';
import { USER_FLAGS, userIdOf } from '../user-flags.ts';

const DOCUMENT = graphql('mutation UserResetSecondFactor($id: ID!) { resetSecondFactor(id: $id) }');

export const userResetSecondFactor: Command = {
  name: 'user reset-second-factor',
  summary: 'Takes the second factor off an account user who has lost it, and ends its sessions.',
  flags: USER_FLAGS,
  async run(given, gateway) {
    const id = await userIdOf(given, gateway);
    return { output: { id, changed: (await gateway.ask(DOCUMENT, { id })).resetSecondFactor } };
  },
};
