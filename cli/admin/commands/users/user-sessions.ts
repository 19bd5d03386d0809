/** Lists the open sessions of an account user, newest first. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION, USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql(`query UserSessions($id: ID!) {
  accountUserSessions(id: $id) {
    session_id: id address user_agent: userAgent signed_in_at: signedInAt last_seen_at: lastSeenAt expires_at: expiresAt
  }
}`);

export const userSessions: Command = {
  name: 'user sessions',
  summary: 'Lists the sessions of an account user.',
  flags: { organization: ORGANIZATION, ...USER_FLAGS },
  async run(args, gateway) {
    const id = await userIdOf(args, gateway);
    return { output: (await gateway.ask(DOCUMENT, { id }, args.text('organization'))).accountUserSessions };
  },
};
