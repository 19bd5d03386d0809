/** Removes an account user permanently. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { issuedKeysOf, KEEP_ISSUED_KEYS, USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql(
  `mutation UserRemove($id: ID!, $revokeIssuedKeys: Boolean!) {
    accountUserRemove(input: { id: $id, revokeIssuedKeys: $revokeIssuedKeys }) {
      endedAccess {
        sessions_ended: sessions keys_revoked: apiKeys
        issued_keys_revoked: issuedApiKeys invitations_revoked: invitations reset_links_revoked: passwordResets
      }
      userErrors { message }
    }
  }`,
);

export const userRemove: Command = {
  name: 'user remove',
  summary:
    'Permanently removes an account user. Ends its sessions, and revokes its keys and everything it issued to others.',
  flags: { ...USER_FLAGS, ...KEEP_ISSUED_KEYS },
  async run(args, gateway) {
    const id = await userIdOf(args, gateway);
    return {
      output: { id, ...(await gateway.ask(DOCUMENT, { id, ...issuedKeysOf(args) })).accountUserRemove.endedAccess },
    };
  },
};
