/**
 * What a stored event shows as metadata: what was sent, and the mapped attribution keys (contract.md, "Stored usage
 * event"; decision 9, D5). A key that was sent inside metadata stays as sent.
 */
import { isSameDecimal } from '../../../kernel/decimal-text.ts';
import { parseExactJson, printExactJson } from '../../../kernel/exact-json.ts';
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

/** As `printExactJson` prints what `readMetadata` gives: nearly always the stored text, and what is to be added to it. */
export function printMetadata(stored: StoredAttribution): string {
  return extendedText(stored) ?? printExactJson(readMetadata(stored));
}

/** Null where a text alone does not tell what lies in it. */
function extendedText({
  metadataJson,
  provider,
  feature,
  agentId,
  workflowId,
  units,
}: StoredAttribution): string | null {
  const text = metadataJson ?? '{}';
  if (!text.startsWith('{"') && text !== '{}') return null;
  if (IS_NOT_PLAIN.test(text.slice(1))) return null;
  const added: string[] = [];
  const texts = { provider, feature, agent_id: agentId, workflow_id: workflowId };
  for (const [key, value] of Object.entries(texts)) {
    if (value === null) continue;
    const member = `"${key}":`;
    const at = text.indexOf(member);
    if (at === -1) added.push(member + JSON.stringify(value));
    else if (text.indexOf(member, at + 1) !== -1 || !isMember(text, at, member + JSON.stringify(value))) return null;
  }
  if (units !== null) {
    if (text.includes('"units":')) return null;
    added.push(`"units":${printExactJson(parseExactJson(units))}`);
  }
  if (added.length === 0) return text;
  return `${text.slice(0, -1)}${text === '{}' ? '' : ','}${added.join(',')}}`;
}

/**
 * Escapes and objects within, where a name between quotes need not be a key of the object itself; spaces between, and numbers that are printed
 * in another way, which are of other printers.
 */
const IS_NOT_PLAIN = /[\\{]|": |, "|\.\d*0[,}\]]|\d[eE]|-0[,}\]]/;

function isMember(text: string, at: number, member: string): boolean {
  const end = text[at + member.length];
  return text.startsWith(member, at) && (end === ',' || end === '}');
}
