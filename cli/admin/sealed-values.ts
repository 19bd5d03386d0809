/** Encrypted values of the service, over all its databases. */
import type { OperatorGateway } from '../kit/operator-gateway.ts';
import { graphql } from '#schema/graphql.ts';

const VALUES = '{ kind key_id: keyId count is_current: isCurrent is_readable: isReadable }';
const DOCUMENT = graphql(
  `query SealedValues { identity: identitySealedValues ${VALUES} revenue: revenueSealedValues ${VALUES} alerting: alertingSealedValues ${VALUES} reconciliation: reconciliationSealedValues ${VALUES} }`,
);

export interface SealedValues {
  readonly subgraph: string;
  readonly kind: string;
  /** `null` for values written before key ids existed. */
  readonly key_id: string | null;
  readonly count: number;
  readonly is_current: boolean;
  readonly is_readable: boolean;
}

export async function listSealedValues(gateway: OperatorGateway): Promise<SealedValues[]> {
  const answer = await gateway.ask(DOCUMENT);
  return Object.entries(answer).flatMap(([subgraph, values]) => values.map((value) => ({ subgraph, ...value })));
}
