/** Registered dimensions of an organization. Their values are kept when metadata is dropped. */
import type { OrganizationId } from '#kernel/ids.ts';
import { graphql } from '#schema/graphql.ts';
import type { OperatorGateway } from '../kit/operator-gateway.ts';

const DIMENSIONS = graphql('query RegisteredDimensions { dimensions { key } }');

export async function registeredDimensions(
  gateway: OperatorGateway,
  organizationId: OrganizationId,
): Promise<string[]> {
  const { dimensions } = await gateway.ask(DIMENSIONS, {}, organizationId);
  return dimensions.map(({ key }) => key);
}
