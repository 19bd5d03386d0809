/** How the gateway reaches a subgraph: in this process or over HTTP. The rest of the code cannot tell which. */
import type { GraphQLFormattedError } from 'graphql';
import type { Principal } from '../principal.ts';

export interface GraphQLAnswer<Data = Record<string, unknown>> {
  data?: Data | null;
  errors?: readonly GraphQLFormattedError[];
}

export interface SubgraphTransport {
  execute(query: string, variables: Record<string, unknown>, principal: Principal): Promise<GraphQLAnswer>;
  close(): Promise<void>;
}
