/** Creates an API key. A live key is shown only in this output. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ID, oneOf, text, TIME } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';
import { UsageError } from '../../../kit/usage-error.ts';

const DOCUMENT = graphql(`mutation KeyCreate($input: ApiKeyCreateInput!) {
  apiKeyCreate(input: $input) {
    createdApiKey { api_key: secret apiKey { id name scopes environment user_id: accountUserId expires_at: expiresAt } }
    userErrors { message }
  }
}`);

export const keyCreate: Command = {
  name: 'key create',
  summary: 'Creates an API key. The key is shown only once. Give either --preset or --scopes.',
  flags: {
    organization: ORGANIZATION,
    name: { form: text('N'), required: true, about: 'the name of the key' },
    environment: {
      form: oneOf('live', 'test'),
      required: true,
      about: 'events of a test key are not counted',
    },
    preset: { form: oneOf('read', 'ingest'), about: 'read: the four query scopes; ingest: only usage:write' },
    scopes: { form: text('a,b'), about: 'comma-separated scopes' },
    user: { form: ID, about: 'the account user it belongs to; default: the owner' },
    'expires-at': { form: TIME, about: 'when it expires; default: never' },
  },
  async run(args, gateway) {
    if (args.has('preset') === args.has('scopes')) throw new UsageError('Give either --preset or --scopes');
    const input = {
      name: args.text('name'),
      environment: args.text('environment'),
      preset: args.optional('preset'),
      scopes: args
        .optional('scopes')
        ?.split(',')
        .map((scope) => scope.trim()),
      accountUserId: args.optional('user'),
      expiresAt: args.optional('expires-at'),
    };
    const {
      api_key,
      apiKey: { id, ...kept },
    } = (await gateway.ask(DOCUMENT, { input }, args.text('organization'))).apiKeyCreate.createdApiKey!;
    return { output: { id, api_key, ...kept } };
  },
};
