/** A stored event without attribution. */
import type { StoredAttribution } from '../../subgraphs/costing/events/read-metadata.ts';

export const NO_ATTRIBUTION: StoredAttribution = {
  metadataJson: null,
  provider: null,
  feature: null,
  agentId: null,
  workflowId: null,
  units: null,
};
