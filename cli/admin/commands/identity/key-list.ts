/** Lists the API keys of an organization, newest first, without the secrets. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`query KeyList {
  apiKeys {
    id name scopes may_write_unsigned: mayWriteUnsigned environment user_id: accountUserId created_at: createdAt
    expires_at: expiresAt revoked_at: revokedAt last_used_at: lastUsedAt
  }
}`);

export const keyList: Command = {
  name: 'key list',
  summary: 'Lists the API keys of an organization.',
  flags: { organization: ORGANIZATION },
  async run(args, gateway) {
    return { output: (await gateway.ask(DOCUMENT, {}, args.text('organization'))).apiKeys };
  },
};
