/** Loads the definition of one subgraph without loading the others. */
import { StartError } from '#platform/start-error.ts';
import type { SubgraphDefinition } from '#platform/subgraph/subgraph.ts';

const LOAD: Readonly<Record<string, () => Promise<SubgraphDefinition>>> = {
  identity: async () => (await import('../subgraphs/identity/main.ts')).identity,
  costing: async () => (await import('../subgraphs/costing/main.ts')).costing,
  attribution: async () => (await import('../subgraphs/attribution/main.ts')).attribution,
  revenue: async () => (await import('../subgraphs/revenue/main.ts')).revenue,
  alerting: async () => (await import('../subgraphs/alerting/main.ts')).alerting,
  reconciliation: async () => (await import('../subgraphs/reconciliation/main.ts')).reconciliation,
};

/** Throws a {@link StartError} for an unknown name. */
export async function definitionOf(name: string | undefined): Promise<SubgraphDefinition> {
  const load = LOAD[name ?? ''];
  if (!load) throw new StartError(`Name a subgraph: ${Object.keys(LOAD).join(', ')}`);
  return load();
}
