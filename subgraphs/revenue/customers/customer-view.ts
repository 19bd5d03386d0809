/** What people see of a customer, and of customers that are in each other's way. */
import { endUserId } from '../../../kernel/end-user-id.ts';
import type { CustomerRow, MappingConflict } from './customer.table.ts';
import type { RevenueCustomer, RevenueMappingConflict } from '../resolvers.generated.ts';

export function toCustomerView(organizationId: string, customer: CustomerRow): RevenueCustomer {
  const externalId = customer.linked_external_id ?? customer.metadata_external_id;
  return {
    id: customer.id,
    name: customer.name,
    metadataExternalId: customer.metadata_external_id,
    linkedExternalId: customer.linked_external_id,
    endUserId: externalId === null ? null : endUserId(organizationId, externalId),
    deleted: customer.deleted,
  };
}

export function toConflictView({ external_id, customer_ids, contradicts }: MappingConflict): RevenueMappingConflict {
  const reasons = [
    ...(customer_ids.length > 1
      ? [`${customer_ids.length} customers stand for this end user: their revenue adds up`]
      : []),
    ...(contradicts === true ? ['a link contradicts the metadata of a customer: the link wins'] : []),
  ];
  return { externalId: external_id, customerIds: customer_ids, message: reasons.join('; ') };
}
