/**
 * The subgraphs of this repository. The gateway serves the subgraphs in its supergraph: these, and any that have joined
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
 * Grants of our own processes when they act for no caller. They limit what a compromised process can do, so each
 * process has only the grants that it needs. `feed:read`: costing's ledger of all organizations, in order; `sign-in`:
 * operations before a person or program is authenticated; `credentials:read`: the owner of a credential;
 * `backlog:read`: the amount of waiting work, and the age of the price catalogue.
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
