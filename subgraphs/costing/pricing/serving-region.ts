/**
 * Where a call was served, if its seller may have prices by location: `geo=eu` for a model vendor,
 * `region=europe-west1` for a cloud that hosts models, `partition=us-gov` for a US government cloud.
 */
import { canonicalProvider } from '#usage/names/canonical-provider.ts';
import { GOVERNMENT_CONTEXT, isOfGovernment } from '#usage/names/government-cloud.ts';
import type { UsageSource } from '#usage/counts/usage-sources.ts';
import { valueAt } from '#usage/counts/value-at.ts';

export interface ServedModel {
  readonly provider?: string | null | undefined;
  readonly model?: string | undefined;
}

/** Fields in which an event names the region. */
export const REGION_FIELDS: readonly string[] = ['serving_region', 'inference_geo', 'vertex_location'];
const ANYWHERE: ReadonlySet<string> = new Set(['global', 'global-standard']);
/** Anthropic's word for models without `inference_geo`. */
const NOT_SAID = 'not_available';
const VALUE = /^[a-z0-9_.-]{1,32}$/;

/**
 * Clouds with prices per region or zone. Bedrock's regions are separate cards: `eu.anthropic.…`, `global.anthropic.…`.
 */
const CLOUDS: ReadonlySet<string | null> = new Set(['azure', 'google']);
/** `azure/eu/gpt-4.1`: a data zone, as written by gateways. */
const ZONE = /^(?:(azure)(?:_ai|_text)?\/)?(us|eu|regional)\//;

/** `projects/p/locations/us-east5/publishers/anthropic/models/…`: Vertex AI. */
const LOCATION = /(?:^|\/)locations\/([a-z0-9-]{1,32})\//;

const GOVERNMENT_CLOUDS: ReadonlySet<string | null> = new Set(['aws', 'azure']);

/** True if the event or the path in the model's name reports a location, `global` included. */
export function namesLocation(sources: readonly UsageSource[], model: string): boolean {
  return statedRegion(sources) !== null || LOCATION.test(model.toLowerCase());
}

/** Null: any region, or not reported. */
export function servingRegion(sources: readonly UsageSource[], { provider, model }: ServedModel): string | null {
  const seller = canonicalProvider(provider);
  const isGovernment = isOfGovernment(model?.toLowerCase() ?? '') || isOfGovernment(statedRegion(sources) ?? '');
  if (isGovernment && (seller === null || GOVERNMENT_CLOUDS.has(seller))) return GOVERNMENT_CONTEXT;
  const zone = model === undefined || !model.includes('/') ? null : ZONE.exec(model.toLowerCase());
  const location = model === undefined ? undefined : LOCATION.exec(model.toLowerCase())?.[1];
  const stated = statedRegion(sources) ?? zone?.[2] ?? location ?? null;
  if (stated === null || ANYWHERE.has(stated)) return null;
  const isOfCloud = zone?.[1] === 'azure' || location !== undefined || CLOUDS.has(seller);
  return `${isOfCloud ? 'region' : 'geo'}=${stated}`;
}

/** A certain region takes precedence: Claude's usage object may say `global` of a call to a region of Vertex AI. */
function statedRegion(sources: readonly UsageSource[]): string | null {
  let anywhere: string | null = null;
  for (const { fields } of sources) {
    for (const name of REGION_FIELDS) {
      const value = valueAt(fields, [name]);
      const text = typeof value === 'string' ? value.toLowerCase() : '';
      if (!VALUE.test(text) || text === NOT_SAID) continue;
      if (!ANYWHERE.has(text)) return text;
      anywhere ??= text;
    }
  }
  return anywhere;
}
