/** Says which end user a customer at the payment processor is. */
import { graphql } from '../../schema/graphql.ts';
import type { Command } from '../command.ts';
import { text } from '../flag-forms.ts';
import { ORGANIZATION } from '../organization-flag.ts';

const DOCUMENT = graphql(`mutation RevenueLink($customerId: String!, $endUserExternalId: String!) {
  linkRevenueCustomer(customerId: $customerId, endUserExternalId: $endUserExternalId) {
    customer: id name end_user_id: endUserId end_user_external_id: linkedExternalId
  }
}`);

export const revenueLink: Command = {
  name: 'revenue link',
  summary: 'Says which end user a customer at the payment processor is, for past records too.',
  flags: {
    organization: ORGANIZATION,
    customer: { form: text('C'), required: true, about: "the processor's id of the customer" },
    'end-user': { form: text('EXTERNAL_ID'), required: true, about: 'the user_id of usage events' },
  },
  async run(given, gateway) {
    const link = { customerId: given.text('customer'), endUserExternalId: given.text('end-user') };
    const { linkRevenueCustomer } = await gateway.ask(DOCUMENT, link, given.text('organization'));
    return { output: linkRevenueCustomer };
  },
};
