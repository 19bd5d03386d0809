/** How the gateway reaches a subgraph: in this process or over HTTP. The rest of the code cannot tell which. */
import type { GraphQLFormattedError } from 'graphql';
import type { Principal } from '../principal.ts';

export interface GraphQLAnswer<Data = Record<string, unknown>> {
  data?: Data | null;
  errors?: readonly GraphQLFormattedError[];
}

type Execute = (query: string, variables: Record<string, unknown>, principal: Principal) => Promise<GraphQLAnswer>;

export interface SubgraphTransport {
  /** Answers come from another process: they may have any shape, and their values are checked against the schema. */
  readonly isRemote: boolean;
  execute: Execute;
  /** The same for a document of our own: of those there is a fixed number, so that each may be compiled. */
  executeOwn: Execute;
  close(): Promise<void>;
}
