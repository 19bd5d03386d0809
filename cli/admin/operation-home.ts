/** Which subgraph a long operation is of: their ids differ, and an operator knows nothing else of it. */
import { graphql } from '../../schema/graphql.ts';
import type { OperatorGateway } from '../kit/operator-gateway.ts';

const DOCUMENT = graphql('query OperationHome($id: ID!) { costingOperation(id: $id) { id } }');

export async function isOfCosting(gateway: OperatorGateway, id: string): Promise<boolean> {
  return (await gateway.ask(DOCUMENT, { id })).costingOperation !== null;
}
