/** Allows or forbids unsigned usage requests for an API key. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ID, oneOf } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`mutation KeyUnsigned($id: ID!, $allowed: Boolean!) {
  apiKeySetUnsignedWrites(input: { id: $id, allowed: $allowed }) {
    apiKey { id name scopes may_write_unsigned: mayWriteUnsigned } userErrors { message }
  }
}`);

export const keyUnsigned: Command = {
  name: 'key unsigned',
  summary: 'Allows or forbids unsigned writes with a key. OpenTelemetry exporters and gateways cannot sign requests.',
  flags: {
    organization: ORGANIZATION,
    id: { form: ID, required: true, about: 'the id of the key, not the key itself' },
    allow: { form: oneOf('yes', 'no'), required: true, about: 'default of new keys: no' },
  },
  async run(args, gateway) {
    const variables = { id: args.text('id'), allowed: args.text('allow') === 'yes' };
    const { apiKeySetUnsignedWrites } = await gateway.ask(DOCUMENT, variables, args.text('organization'));
    return { output: apiKeySetUnsignedWrites.apiKey };
  },
};
