/**
 * What a stored event shows as metadata: what was sent, and the mapped attribution keys (contract.md, "Stored usage
 * event"; decision 9, D5). A key that was sent inside metadata stays as sent.
 */
import { isSameDecimal } from '../../../kernel/decimal-text.ts';
import { parseExactJson } from '../../../kernel/exact-json.ts';
import { amountInMetadata, textInMetadata } from './metadata-attribution.ts';

export interface StoredAttribution {
  /** The stored JSON object. */
  readonly metadataJson: string | null;
  readonly provider: string | null;
  readonly feature: string | null;
  readonly agentId: string | null;
  readonly workflowId: string | null;
  /** Plain decimal without trailing zeros. */
  readonly units: string | null;
}

/** Always an object; numbers that a double cannot hold are raw (`kernel/exact-json.ts`). */
export function readMetadata({ metadataJson, units, ...attribution }: StoredAttribution): Record<string, unknown> {
  const metadata = metadataJson === null ? {} : (parseExactJson(metadataJson) as Record<string, unknown>);
  const { provider, feature, agentId, workflowId } = attribution;
  const texts = { provider, feature, agent_id: agentId, workflow_id: workflowId };
  for (const [key, text] of Object.entries(texts)) {
    if (text !== null && textInMetadata(metadata, key) !== text) metadata[key] = text;
  }
  if (units === null) return metadata;
  const inside = amountInMetadata(metadata, 'units');
  if (inside === null || !isSameDecimal(inside, units)) metadata['units'] = parseExactJson(units);
  return metadata;
}
