/** The subgraphs of this repository. The gateway serves those that its supergraph names: these, and any that joined (docs/federation.md). */
export const SUBGRAPH_NAMES: readonly string[] = ['identity', 'costing', 'attribution', 'revenue', 'alerting'];

/** What subgraphs of this repository read as clients, in the name of one organization, as those that join do. */
export const OWN_GRANTS: Readonly<Record<string, readonly string[]>> = {
  alerting: ['costs:read', 'revenue:read', 'usage:read', 'dimensions:read', 'organizations:read'],
};
