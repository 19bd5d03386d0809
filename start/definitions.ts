/** The five subgraphs. Only the starting scripts know them all. */
import { SUBGRAPH_NAMES } from '../schema/subgraph-names.ts';
import { StartError } from '../platform/start-error.ts';
import type { SubgraphDefinition } from '../platform/subgraph/subgraph.ts';
import { alerting } from '../subgraphs/alerting/main.ts';
import { attribution } from '../subgraphs/attribution/main.ts';
import { costing } from '../subgraphs/costing/main.ts';
import { identity } from '../subgraphs/identity/main.ts';
import { revenue } from '../subgraphs/revenue/main.ts';

export const definitions: readonly SubgraphDefinition[] = [identity, costing, attribution, revenue, alerting];

/** Throws a {@link StartError} for a name that is none of theirs. */
export function definitionOf(name: string | undefined): SubgraphDefinition {
  const definition = definitions.find((candidate) => candidate.name === name);
  if (!definition) throw new StartError(`Name a subgraph: ${SUBGRAPH_NAMES.join(', ')}`);
  return definition;
}
