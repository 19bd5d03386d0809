/** Finds the subgraph of a long operation. Ids differ between subgraphs, and the id is all that an operator has. */
import { graphql } from '#schema/graphql.ts';
import type { OperatorGateway } from '../kit/operator-gateway.ts';

const DOCUMENT = graphql('query OperationHome($id: ID!) { costingOperation(id: $id) { id } }');

export async function isOfCosting(gateway: OperatorGateway, id: string): Promise<boolean> {
  return (await gateway.ask(DOCUMENT, { id })).costingOperation !== null;
}
