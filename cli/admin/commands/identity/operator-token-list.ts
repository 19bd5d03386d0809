/** Lists operator tokens, without the secrets. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';

const DOCUMENT = graphql(`query OperatorTokenList {
  operatorTokens { id name created_at: createdAt created_by: createdBy last_used_at: lastUsedAt revoked_at: revokedAt }
}`);

export const operatorTokenList: Command = {
  name: 'operator token list',
  summary: 'Lists operator tokens, active ones first.',
  flags: {},
  async run(_args, gateway) {
    return { output: (await gateway.ask(DOCUMENT)).operatorTokens };
  },
};
