/** Says which end user a customer is, or takes that back. Records are mapped when they are read, so it holds for the past too. */
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { fail } from '../../../schema/errors.ts';
import { type CustomerRow, linkCustomerTo } from '../data/customer.ts';

const EXTERNAL_ID_MAX = 255;

export async function linkRevenueCustomer(context: SubgraphContext, customerId: string, externalId: string | null): Promise<CustomerRow> {
  if (externalId !== null && (externalId.length === 0 || externalId.length > EXTERNAL_ID_MAX || externalId.includes('\0') || !externalId.isWellFormed())) {
    fail('VALIDATION_ERROR', `endUserExternalId must be 1 to ${EXTERNAL_ID_MAX} characters, as in the user_id of usage events`);
  }
  const organizationId = organizationOf(context);
  const customer = await context.database.forOrganization(organizationId, (em) => linkCustomerTo(em, organizationId, customerId.replaceAll('\0', ''), externalId));
  return customer ?? fail('NOT_FOUND', 'No sync has seen that customer');
}
