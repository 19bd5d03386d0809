/** Disables an account user. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { issuedKeysOf, KEEP_ISSUED_KEYS, USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql(
  `mutation UserDisable($id: ID!, $revokeIssuedKeys: Boolean!) {
    accountUserDisable(input: { id: $id, revokeIssuedKeys: $revokeIssuedKeys }) {
      endedAccess {
        sessions_ended: sessions keys_revoked: apiKeys
        issued_keys_revoked: issuedApiKeys invitations_revoked: invitations reset_links_revoked: passwordResets
      }
      userErrors { message }
    }
  }`,
);

export const userDisable: Command = {
  name: 'user disable',
  summary: 'Disables an account user. Ends its sessions, and revokes its keys and everything it issued to others.',
  flags: { ...USER_FLAGS, ...KEEP_ISSUED_KEYS },
  async run(args, gateway) {
    const id = await userIdOf(args, gateway);
    return {
      output: { id, ...(await gateway.ask(DOCUMENT, { id, ...issuedKeysOf(args) })).accountUserDisable.endedAccess },
    };
  },
};
