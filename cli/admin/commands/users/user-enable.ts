/** Re-enables a disabled account user. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql(
  'mutation UserEnable($id: ID!) { accountUserEnable(input: { id: $id }) { hasChanged userErrors { message } } }',
);

export const userEnable: Command = {
  name: 'user enable',
  summary: 'Lets a disabled account user sign in again; revoked keys stay revoked.',
  flags: USER_FLAGS,
  async run(args, gateway) {
    const id = await userIdOf(args, gateway);
    return { output: { id, changed: (await gateway.ask(DOCUMENT, { id })).accountUserEnable.hasChanged } };
  },
};
