/** Connects an organization's payment processor account. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { oneOf, text } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`mutation RevenueConnect($input: RevenueConnectInput!) {
  revenueConnect(input: $input) {
    connection { connection_id: id status: state processor end_user_key: endUserKey api_base: apiBase } userErrors { message }
  }
}`);

export const revenueConnect: Command = {
  name: 'revenue connect',
  summary: "Connects an organization's payment processor account, after the processor has accepted the key.",
  flags: {
    organization: ORGANIZATION,
    processor: { form: oneOf('stripe'), required: true, about: 'the payment processor' },
    'api-key': {
      form: text('K'),
      required: true,
      secret: true,
      about: 'a restricted key with read access to billing; stored encrypted',
    },
    'api-base': {
      form: text('URL'),
      about: "origin of the processor's API, without /v1; default: its public API",
    },
    'end-user-key': {
      form: text('user_id'),
      about: "the key in a customer's metadata that holds the user_id of events; default: user_id",
    },
  },
  async run(args, gateway) {
    const endUserKey = args.optional('end-user-key');
    const input = {
      processor: args.text('processor'),
      apiKey: args.text('api-key'),
      apiBase: args.optional('api-base'),
      ...(endUserKey === undefined ? {} : { endUserKey }),
    };
    return { output: (await gateway.ask(DOCUMENT, { input }, args.text('organization'))).revenueConnect.connection };
  },
};
