/** Removes the second factor of an account user who has lost it. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql(
  'mutation UserResetSecondFactor($id: ID!) { accountUserResetSecondFactor(input: { id: $id }) { hasChanged userErrors { message } } }',
);

export const userResetSecondFactor: Command = {
  name: 'user reset-second-factor',
  summary: 'Removes the second factor and all passkeys of an account user who lost them, and ends its sessions.',
  flags: USER_FLAGS,
  async run(args, gateway) {
    const id = await userIdOf(args, gateway);
    return { output: { id, changed: (await gateway.ask(DOCUMENT, { id })).accountUserResetSecondFactor.hasChanged } };
  },
};
