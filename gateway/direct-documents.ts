/**
 * Most of our own documents are answered by one subgraph, as they are written. Once the query planner has said so of a document, it goes to
 * that subgraph directly: planning, variables and the answer's shape are checked there again, and cost as much as the answer itself.
 */
import { type DocumentNode, Kind, type OperationDefinitionNode, parse, print, visit } from 'graphql';

/** What of a query plan tells that a document needs no other subgraph: Apollo's `QueryPlan`, as far as it is read here. */
export interface Plan {
  readonly node?: PlanNode | undefined;
}

interface PlanNode {
  readonly kind: string;
  readonly serviceName?: string;
  readonly operation?: string;
}

/** The subgraph that answers the whole document, as it is written; `null` where the plan does more than hand it on. */
export function directSubgraph(document: DocumentNode, { node }: Plan): string | null {
  if (node?.kind !== 'Fetch' || node.serviceName === undefined || node.operation === undefined) return null;
  const written = onlyOperation(document);
  const planned = onlyOperation(parse(node.operation, { noLocation: true }));
  if (written === null || planned === null || asksForTypeNames(written)) return null;
  const isSame = written.operation === planned.operation && print(written.selectionSet) === print(planned.selectionSet);
  return isSame ? node.serviceName : null;
}

/** `null` where there are several operations, or fragments. */
function onlyOperation({ definitions }: DocumentNode): OperationDefinitionNode | null {
  const [first, ...others] = definitions;
  return first?.kind === Kind.OPERATION_DEFINITION && others.length === 0 ? first : null;
}

/** Of an interface that another subgraph implements, the gateway gives other names than the subgraph. */
function asksForTypeNames(operation: OperationDefinitionNode): boolean {
  let asks = false;
  visit(operation, {
    Field({ name }) {
      asks ||= name.value === '__typename';
    },
  });
  return asks;
}
