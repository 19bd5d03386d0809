/** Creates a password reset link. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql(
  'mutation UserResetPassword($id: ID!) { accountUserStartPasswordReset(input: { id: $id }) { link { url expires_at: expiresAt } userErrors { message } } }',
);

export const userResetPassword: Command = {
  name: 'user reset-password',
  summary: 'Creates a link for choosing a new password. It works once, for one day.',
  flags: USER_FLAGS,
  async run(args, gateway) {
    const id = await userIdOf(args, gateway);
    return { output: { id, ...(await gateway.ask(DOCUMENT, { id })).accountUserStartPasswordReset.link } };
  },
};
