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

/** The keys that are shown in metadata, in this order, and what holds them. */
const TEXTS = [
  { key: 'provider', column: 'provider' },
  { key: 'feature', column: 'feature' },
  { key: 'agent_id', column: 'agentId' },
  { key: 'workflow_id', column: 'workflowId' },
] as const;

/** Always an object; numbers that a double cannot hold are raw (`kernel/exact-json.ts`). */
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

/** As `printExactJson` prints what `readMetadata` gives: nearly always the stored text, and what is to be added to it. */
export function printMetadata(stored: StoredAttribution): string {
  return extendedText(stored) ?? printExactJson(readMetadata(stored));
}

/** Null where a text alone does not tell what lies in it. */
function extendedText(stored: StoredAttribution): string | null {
  const { metadataJson, units } = stored;
  const text = metadataJson ?? '{}';
  if (!text.startsWith('{"') && text !== '{}') return null;
  if (IS_NOT_PLAIN.test(text)) return null;
  let added = '';
  for (const { key, column } of TEXTS) {
    const value = stored[column];
    if (value === null) continue;
    const member = `"${key}":`;
    const at = text.indexOf(member);
    if (at === -1) added += `,${member}${JSON.stringify(value)}`;
    else if (text.indexOf(member, at + 1) !== -1 || !isMember(text, at, member + JSON.stringify(value))) return null;
  }
  if (units !== null) {
    if (text.includes('"units":')) return null;
    added += `,"units":${printExactJson(parseExactJson(units))}`;
  }
  if (added === '') return text;
  return `${text.slice(0, -1)}${text === '{}' ? added.slice(1) : added}}`;
}

/**
 * Escapes and objects within, where a name between quotes need not be a key of the object itself; spaces between, and numbers that are printed
 * in another way, which are of other printers.
 */
const IS_NOT_PLAIN = /\\|[^]\{|": |, "|\.\d*0[,}\]]|\d[eE]|-0[,}\]]/;

function isMember(text: string, at: number, member: string): boolean {
  const end = text[at + member.length];
  return text.startsWith(member, at) && (end === ',' || end === '}');
}
