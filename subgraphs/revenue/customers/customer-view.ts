/** Customers and mapping conflicts as returned to clients. */
import type { OrganizationId } from '#kernel/ids.ts';
import { nodeIdOf } from '#kernel/node-id.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import type { CustomerRow } from './customer.table.ts';
import type { MappingConflict } from './mapping-conflicts.query.ts';
import type { SubscriptionRow } from './subscription.table.ts';
import type { RevenueCustomer, RevenueMappingConflict } from '../resolvers.generated.ts';

export function toCustomerView(organizationId: OrganizationId, customer: CustomerRow): RevenueCustomer {
  const externalId = customer.linkedExternalId ?? customer.metadataExternalId;
  return {
    id: nodeIdOf('RevenueCustomer', organizationId, customer.id),
    customerId: customer.id,
    endUser: externalId === null ? null : { externalId, name: customer.name ?? externalId },
    name: customer.name,
    metadataExternalId: customer.metadataExternalId,
    linkedExternalId: customer.linkedExternalId,
    endUserId: externalId === null ? null : endUserId(organizationId, externalId),
    deleted: customer.deleted,
  };
}

export interface BillingSubscriptionView {
  readonly id: string;
  readonly subscriptionId: string;
  readonly endUser: RevenueCustomer['endUser'];
  readonly customer: RevenueCustomer | null;
  readonly status: string;
  readonly createdAt: string | null;
}

export function toSubscriptionView(organizationId: OrganizationId, row: SubscriptionRow): BillingSubscriptionView {
  const { id, status, createdAt, customerId, deleted, ...known } = row;
  const customer =
    customerId === null
      ? null
      : toCustomerView(organizationId, { ...known, id: customerId, deleted: deleted === true });
  return {
    id: nodeIdOf('BillingSubscription', organizationId, id),
    subscriptionId: id,
    endUser: customer?.endUser ?? null,
    customer,
    status,
    createdAt,
  };
}

export function toConflictView({ externalId, customerIds, contradicts }: MappingConflict): RevenueMappingConflict {
  const reasons = [
    ...(customerIds.length > 1
      ? [`${customerIds.length} customers are linked to this end user: their revenue is added up`]
      : []),
    ...(contradicts === true ? ['a link contradicts the metadata of a customer: the link takes precedence'] : []),
  ];
  return { externalId, customerIds, message: reasons.join('; ') };
}
