/** The subgraphs of this repository. The gateway serves those that its supergraph names: these, and any that joined (docs/federation.md). */
export const SUBGRAPH_NAMES: readonly string[] = ['identity', 'costing', 'attribution', 'revenue', 'alerting'];
