/** Makes an API key. Its output is the only one that ever holds a live key. */
import { graphql } from '../../schema/graphql.ts';
import type { Command } from '../command.ts';
import { ID, oneOf, text, TIME } from '../flag-forms.ts';
import { ORGANIZATION } from '../organization-flag.ts';
import { UsageError } from '../usage-error.ts';

const DOCUMENT = graphql(`mutation KeyCreate($input: CreateApiKeyInput!) {
  createApiKey(input: $input) {
    api_key: secret
    apiKey { id name scopes environment user_id: accountUserId expires_at: expiresAt }
  }
}`);

export const keyCreate: Command = {
  name: 'key create',
  summary: 'Makes an API key. The key itself is shown this once. Give either --preset or --scopes.',
  flags: {
    organization: ORGANIZATION,
    name: { form: text('N'), required: true, about: 'its name' },
    environment: { form: oneOf('live', 'test'), required: true, about: 'events of a test key stay out of every figure' },
    preset: { form: oneOf('read', 'ingest'), about: 'read: the four query scopes; ingest: usage:write alone' },
    scopes: { form: text('a,b'), about: 'scopes with commas between them' },
    user: { form: ID, about: 'the account user it belongs to; default: the owner' },
    'expires-at': { form: TIME, about: 'when it expires; default: never' },
  },
  async run(given, gateway) {
    if (given.has('preset') === given.has('scopes')) throw new UsageError('key create needs either --preset or --scopes');
    const input = {
      name: given.text('name'),
      environment: given.text('environment'),
      preset: given.optional('preset'),
      scopes: given.optional('scopes')?.split(',').map((scope) => scope.trim()),
      accountUserId: given.optional('user'),
      expiresAt: given.optional('expires-at'),
    };
    const { api_key, apiKey: { id, ...kept } } = (await gateway.ask(DOCUMENT, { input }, given.text('organization'))).createApiKey;
    return { output: { id, api_key, ...kept } };
  },
};
