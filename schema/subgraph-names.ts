/** The subgraphs of which the graph is composed: each has its schema, its database and its address. */
export const SUBGRAPH_NAMES = ['identity', 'costing', 'attribution', 'revenue'] as const;
export type SubgraphName = (typeof SUBGRAPH_NAMES)[number];
