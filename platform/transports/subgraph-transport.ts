/** How the gateway calls a subgraph: in process or over HTTP. Callers cannot tell the difference. */
import type { GraphQLFormattedError } from 'graphql';
import type { Principal } from '../principal.ts';

export interface GraphQLAnswer<Data = Record<string, unknown>> {
  data?: Data | null;
  errors?: readonly GraphQLFormattedError[];
}

type Execute = (query: string, variables: Record<string, unknown>, principal: Principal) => Promise<GraphQLAnswer>;

export interface SubgraphTransport {
  /** Responses come from another process and must be validated. */
  readonly isRemote: boolean;
  execute: Execute;
  /** Like `execute`, for our own documents, which are compiled. */
  executeOwn: Execute;
  close(): Promise<void>;
}
