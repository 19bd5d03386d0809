/** Lists the account users of an organization, sorted by e-mail address. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`query UserList {
  accountUsers {
    id email role created_at: createdAt disabled_at: disabledAt second_factor: hasSecondFactor passkeys: passkeyCount last_signed_in_at: lastSignedInAt
  }
}`);

export const userList: Command = {
  name: 'user list',
  summary: 'Lists the account users of an organization.',
  flags: { organization: ORGANIZATION },
  async run(args, gateway) {
    return { output: (await gateway.ask(DOCUMENT, {}, args.text('organization'))).accountUsers };
  },
};
