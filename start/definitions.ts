/** The four subgraphs. Only the starting scripts know them all. */
import type { SubgraphDefinition } from '../platform/subgraph/subgraph.ts';
import { costing } from '../subgraphs/costing/main.ts';
import { identity } from '../subgraphs/identity/main.ts';

export const definitions: readonly SubgraphDefinition[] = [identity, costing];
