/**
 * The subgraphs of this repository. The gateway serves those in its supergraph: these, and joined ones
 * (docs/federation.md).
 */
export const SUBGRAPH_NAMES: readonly string[] = [
  'identity',
  'costing',
  'attribution',
  'revenue',
  'alerting',
  'reconciliation',
];

/**
 * What our own processes may ask in their own name. A process that is taken over can ask no more than its line, so a grant goes only
 * to those that need it. `feed:read`: costing's ledger of all organizations, in order; `sign-in`: what happens before a person or a
 * program is known; `credentials:read`: whose credential this is; `backlog:read`: how much work waits, and how
 * old the price catalogue is.
 */
export const SERVICE_GRANTS: Readonly<Record<string, readonly string[]>> = {
  gateway: ['credentials:read'],
  edge: ['sign-in'],
  dashboard: ['sign-in'],
  metrics: ['backlog:read'],
  deletion: ['organizations:read'],
  identity: ['organizations:read'],
  costing: ['organizations:read'],
  attribution: ['organizations:read', 'feed:read'],
  revenue: ['organizations:read'],
  alerting: ['organizations:read'],
  reconciliation: ['organizations:read'],
};

/** Grants with which our subgraphs read as clients on behalf of one organization, like joined subgraphs. */
export const OWN_GRANTS: Readonly<Record<string, readonly string[]>> = {
  alerting: ['costs:read', 'revenue:read', 'usage:read', 'dimensions:read', 'organizations:read'],
  reconciliation: ['costs:read', 'organizations:read'],
};
