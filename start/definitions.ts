/** The six subgraphs, for a process that runs all of them. Only startup scripts import them. */
import type { SubgraphDefinition } from '#platform/subgraph/subgraph.ts';
import { alerting } from '../subgraphs/alerting/main.ts';
import { attribution } from '../subgraphs/attribution/main.ts';
import { costing } from '../subgraphs/costing/main.ts';
import { identity } from '../subgraphs/identity/main.ts';
import { reconciliation } from '../subgraphs/reconciliation/main.ts';
import { revenue } from '../subgraphs/revenue/main.ts';

export const definitions: readonly SubgraphDefinition[] = [
  identity,
  costing,
  attribution,
  revenue,
  alerting,
  reconciliation,
];
