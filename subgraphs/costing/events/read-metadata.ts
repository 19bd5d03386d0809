/**
 * The metadata of a stored event as shown: the sent metadata plus the mapped attribution keys (contract.md, "Stored
 * usage event"; decision 9, D5). A key sent inside metadata is shown as sent.
 */
import { isSameDecimal } from '#kernel/decimal-text.ts';
import { parseExactJson } from '#kernel/json/exact-json.ts';
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

/** The keys shown in metadata, in this order, and their columns. */
const TEXTS = [
  { key: 'provider', column: 'provider' },
  { key: 'feature', column: 'feature' },
  { key: 'agent_id', column: 'agentId' },
  { key: 'workflow_id', column: 'workflowId' },
] as const;

/** Always an object; numbers that a double cannot represent are raw (`kernel/json/exact-json.ts`). */
export function readMetadata(stored: StoredAttribution): Record<string, unknown> {
  const { metadataJson, units } = stored;
  const metadata = metadataJson === null ? {} : (parseExactJson(metadataJson) as Record<string, unknown>);
  for (const { key, column } of TEXTS) {
    const text = stored[column];
    if (text !== null && textInMetadata(metadata, key) !== text) metadata[key] = text;
  }
  if (units === null) return metadata;
  const inside = amountInMetadata(metadata, 'units');
  if (inside === null || !isSameDecimal(inside, units)) metadata['units'] = parseExactJson(units);
  return metadata;
}
