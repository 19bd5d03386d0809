/** Changes the role of an account user. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { issuedKeysOf, KEEP_ISSUED_KEYS, ROLE, USER_FLAGS, userIdOf } from '../../flags.ts';

const DOCUMENT = graphql(
  `mutation UserSetRole($id: ID!, $role: String!, $revokeIssuedKeys: Boolean!) {
    accountUserSetRole(input: { id: $id, role: $role, revokeIssuedKeys: $revokeIssuedKeys }) {
      hasChanged
      endedAccess { issued_keys_revoked: issuedApiKeys invitations_revoked: invitations reset_links_revoked: passwordResets }
      userErrors { message }
    }
  }`,
);

export const userSetRole: Command = {
  name: 'user set-role',
  summary:
    'Changes the role of an account user and revokes what it may no longer issue. The last owner cannot be changed.',
  flags: {
    ...USER_FLAGS,
    ...KEEP_ISSUED_KEYS,
    role: { form: ROLE, required: true, about: 'the role' },
  },
  async run(args, gateway) {
    const [id, role] = [await userIdOf(args, gateway), args.text('role')];
    const { accountUserSetRole } = await gateway.ask(DOCUMENT, { id, role, ...issuedKeysOf(args) });
    return { output: { id, role, changed: accountUserSetRole.hasChanged, ...accountUserSetRole.endedAccess } };
  },
};
