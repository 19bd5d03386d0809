/** Links a customer of the payment processor to an end user. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`mutation RevenueLink($customerId: String!, $endUserExternalId: String!) {
  revenueCustomerLink(input: { customerId: $customerId, endUserExternalId: $endUserExternalId }) {
    customer { customer: customerId name end_user_id: endUserId end_user_external_id: linkedExternalId }
    userErrors { message }
  }
}`);

export const revenueLink: Command = {
  name: 'revenue link',
  summary: 'Links a payment processor customer to an end user, including past records.',
  flags: {
    organization: ORGANIZATION,
    customer: { form: text('C'), required: true, about: "the customer's id at the payment processor" },
    'end-user': { form: text('EXTERNAL_ID'), required: true, about: 'the user_id in usage events' },
  },
  async run(args, gateway) {
    const link = { customerId: args.text('customer'), endUserExternalId: args.text('end-user') };
    const { revenueCustomerLink } = await gateway.ask(DOCUMENT, link, args.text('organization'));
    return { output: revenueCustomerLink.customer };
  },
};
