/**
 * Most of our own documents are answered by one subgraph as written. Once the query planner confirms this for a
 * document, it is sent to that subgraph directly. Planning, and checking the variables and the response's shape again,
 * cost as much as the response itself.
 */
import { type DocumentNode, Kind, type OperationDefinitionNode, parse, print, visit } from 'graphql';

/** The part of Apollo's `QueryPlan` that shows whether a document needs only one subgraph. */
export interface Plan {
  readonly node?: PlanNode | undefined;
}

interface PlanNode {
  readonly kind: string;
  readonly serviceName?: string;
  readonly operation?: string;
}

/** The subgraph that answers the whole document as written; `null` if the plan does more than pass it on. */
export function directSubgraph(document: DocumentNode, { node }: Plan): string | null {
  if (node?.kind !== 'Fetch' || node.serviceName === undefined || node.operation === undefined) return null;
  const written = onlyOperation(document);
  const planned = onlyOperation(parse(node.operation, { noLocation: true }));
  if (written === null || planned === null || asksForTypeNames(written)) return null;
  const isSame = written.operation === planned.operation && print(written.selectionSet) === print(planned.selectionSet);
  return isSame ? node.serviceName : null;
}

/** `null` if there are several operations, or fragments. */
function onlyOperation({ definitions }: DocumentNode): OperationDefinitionNode | null {
  const [first, ...others] = definitions;
  return first?.kind === Kind.OPERATION_DEFINITION && others.length === 0 ? first : null;
}

/** For an interface that another subgraph implements, type names of the gateway differ from those of the subgraph. */
function asksForTypeNames(operation: OperationDefinitionNode): boolean {
  let asks = false;
  visit(operation, {
    Field({ name }) {
      asks ||= name.value === '__typename';
    },
  });
  return asks;
}
