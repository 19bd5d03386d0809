/**
 * The groupings of costs, besides registered dimensions, in the order in which the graph, the pages and the guides list
 * them (decision 88).
 */

interface CostGrouping {
  /** Name in the addresses of pages. */
  readonly name: string;
  /** Label on pages. */
  readonly label: string;
  /** Field or metadata key of usage events. */
  readonly field: string;
}

/** The groupings by their value of `CostKey`. */
export const COST_GROUPINGS = {
  END_USER: { name: 'customer', label: 'Customer', field: 'user_id' },
  AGENT: { name: 'agent', label: 'Agent', field: 'agent_id' },
  MODEL: { name: 'model', label: 'Model', field: 'model' },
  PROVIDER: { name: 'provider', label: 'Provider', field: 'provider' },
  FEATURE: { name: 'feature', label: 'Feature', field: 'feature' },
  WORKFLOW: { name: 'workflow', label: 'Workflow', field: 'workflow_id' },
  EXPERIMENT: { name: 'experiment', label: 'Experiment', field: 'experiment_id' },
  VARIANT: { name: 'variant', label: 'Variant', field: 'variant' },
  SESSION_TYPE: { name: 'session-type', label: 'Session type', field: 'session_type' },
  SESSION: { name: 'session', label: 'Session', field: 'session_id' },
} as const satisfies Readonly<Record<string, CostGrouping>>;

export type CostGroupingKey = keyof typeof COST_GROUPINGS;
