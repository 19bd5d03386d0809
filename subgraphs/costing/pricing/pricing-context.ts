/** What besides model and tokens decides a price, as a canonical text: `tier=batch`, `geo=us,speed=fast`; empty for standard (decision 38). */
import type { UsageSource } from './usage-shape.ts';
import { valueAt } from './value-at.ts';

/** What an event says of how it was served, and what of it is the standard. */
const KEYS: readonly {
  readonly key: string;
  readonly names: readonly string[];
  readonly standard: ReadonlySet<string>;
  readonly means?: Readonly<Record<string, string>>;
}[] = [
  { key: 'geo', names: ['inference_geo'], standard: new Set(['global', 'not_available']) },
  { key: 'speed', names: ['speed'], standard: new Set(['standard', 'normal']) },
  {
    key: 'tier',
    names: ['service_tier', 'serviceTier', 'trafficType'],
    standard: new Set(['standard', 'default', 'on_demand', 'service_tier_unspecified', 'traffic_type_unspecified']),
    means: { on_demand_priority: 'priority', on_demand_flex: 'flex', provisioned_throughput: 'provisioned' },
  },
];

const VALUE = /^[a-z0-9_.-]{1,32}$/;

/** Of a name that says nothing of itself in a caller's own metadata (`speed`, `batch`), only what stands with a provider's usage. */
export function readPricingContext(sources: readonly UsageSource[]): string {
  if (sources.length === 0) return '';
  const pairs: string[] = [];
  for (const { key, names, standard, means } of KEYS) {
    const value = firstValue(sources, names);
    if (value === null || standard.has(value)) continue;
    pairs.push(`${key}=${means?.[value] ?? value}`);
  }
  if (!pairs.some((pair) => pair.startsWith('tier=')) && sources.some(({ fields }) => fields['batch'] === true)) {
    pairs.push('tier=batch');
  }
  return pairs.join(',');
}

function firstValue(sources: readonly UsageSource[], names: readonly string[]): string | null {
  for (const { fields } of sources) {
    for (const name of names) {
      const value = valueAt(fields, [name]);
      const text = typeof value === 'string' ? value.toLowerCase() : '';
      if (VALUE.test(text)) return text;
    }
  }
  return null;
}

/** Pairs of a context, and back. */
export function contextPairs(context: string): string[] {
  return context === '' ? [] : context.split(',');
}

export function joinContext(pairs: readonly string[]): string {
  return [...pairs].sort().join(',');
}

const HOURS = /^hours=(\d\d)(\d\d)-(\d\d)(\d\d)$/;

/** `hours=0030-1630`: whether an instant lies in that half-open range of the UTC day, which may pass midnight. */
export function isWithinHours(pair: string, atMs: number): boolean {
  const match = HOURS.exec(pair);
  if (match === null) return false;
  const [from, to] = [Number(match[1]) * 60 + Number(match[2]), Number(match[3]) * 60 + Number(match[4])];
  const minute = Math.floor(atMs / 60_000) % 1_440;
  return from <= to ? minute >= from && minute < to : minute >= from || minute < to;
}
