/** Expected responses, computed one event at a time from the contract and the decisions only: no rollups, no SQL. */
import { createHash } from 'node:crypto';
import type { BookCost } from './book-cards.ts';
import type { BookEvent } from './book-event.ts';
import { isoOf } from './book-instant.ts';
import { percentOf, printAmount, sumOf } from './exact-amount.ts';

export interface Booked extends BookEvent {
  readonly id: string;
  /** Null: not priced yet. */
  readonly cost: BookCost | null;
  readonly modelSlug: string;
  readonly providerSlug: string;
  readonly providerName: string;
  readonly providerReported: boolean;
}

/** A priced event. */
export interface Priced extends Booked {
  readonly cost: BookCost;
}

export interface Window {
  readonly start: bigint;
  readonly end: bigint;
}

const UNASSIGNED = 'Unassigned';

export function within<T extends Booked>(events: readonly T[], { start, end }: Window): T[] {
  return events.filter(({ at }) => at >= start && at < end);
}

export const priced = (events: readonly Booked[]): Priced[] =>
  events.filter((event): event is Priced => event.cost !== null);
export const totalOf = (events: readonly Priced[]): bigint => sumOf(events.map(({ cost }) => cost.total));
const byText = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

export function valueOf(event: Booked, key: string): string {
  if (key === 'model') return event.modelSlug;
  if (key === 'provider') return event.providerName;
  return Object.hasOwn(event.dimensions, key) ? event.dimensions[key]! : UNASSIGNED;
}

interface Group {
  readonly name: string;
  readonly events: readonly Priced[];
}

/** Groups of events, costliest first, then by name. */
export function groups(events: readonly Priced[], name: (event: Priced) => string): Group[] {
  return [...Map.groupBy(events, name)].map(([key, members]) => ({ name: key, events: members })).sort(byCost);
}

function byCost(one: Group, other: Group): number {
  const difference = totalOf(other.events) - totalOf(one.events);
  return difference === 0n ? byText(one.name, other.name) : difference > 0n ? 1 : -1;
}

export function figuresOf(events: readonly Priced[], whole: bigint): Record<string, unknown> {
  const counts = (name: 'cacheCreation' | 'cacheRead' | 'reasoning') => {
    const reported = events.flatMap(({ usage }) => usage[name] ?? []);
    return reported.length === 0 ? null : reported.reduce((total, count) => total + count, 0);
  };
  const costs = (name: 'cacheCreation' | 'cacheRead' | 'reasoning') => {
    const reported = events.flatMap(({ cost }) => cost[name] ?? []);
    return reported.length === 0 ? null : printAmount(sumOf(reported));
  };
  return {
    total_cost: printAmount(totalOf(events)),
    input_tokens: events.reduce((total, { usage }) => total + usage.input, 0),
    output_tokens: events.reduce((total, { usage }) => total + usage.output, 0),
    cache_creation_input_tokens: counts('cacheCreation'),
    cache_read_input_tokens: counts('cacheRead'),
    reasoning_tokens: counts('reasoning'),
    input_cost: printAmount(sumOf(events.map(({ cost }) => cost.input))),
    output_cost: printAmount(sumOf(events.map(({ cost }) => cost.output))),
    cache_creation_cost: costs('cacheCreation'),
    cache_read_cost: costs('cacheRead'),
    reasoning_cost: costs('reasoning'),
    event_count: events.length,
    percent_of_total: percentOf(totalOf(events), whole),
  };
}

export function byModel(events: readonly Priced[]): { models: unknown[]; total_cost: string } {
  const models = groups(events, ({ modelSlug, providerSlug }) => `${modelSlug}\0${providerSlug}`).map(
    ({ name, events: members }) => {
      const [model, provider] = name.split('\0');
      return { model_slug: model, provider_slug: provider, ...figuresOf(members, totalOf(events)) };
    },
  );
  return { models, total_cost: printAmount(totalOf(events)) };
}

/**
 * Unknown providers are kept apart by their reported name. A known provider has the name reported by most events, or
 * the catalogue's name if none reported one.
 */
export function byProvider(events: readonly Priced[]): { providers: unknown[]; total_cost: string } {
  const known = Map.groupBy(
    events,
    ({ providerSlug, providerName }) => `${providerSlug}\0${providerSlug === 'unknown' ? providerName : ''}`,
  );
  const providers = [...known.values()]
    .map((members) => {
      const reported = members.filter(({ providerReported }) => providerReported);
      const names = [...Map.groupBy(reported.length > 0 ? reported : members, ({ providerName }) => providerName)].sort(
        ([one, ofOne], [other, ofOther]) => ofOther.length - ofOne.length || byText(one, other),
      );
      return { name: names[0]![0], slug: members[0]!.providerSlug, events: members };
    })
    .sort(byCost);
  return {
    providers: providers.map(({ name, slug, events: members }) => ({
      provider_id: slug,
      provider_name: name,
      provider_slug: slug,
      total_cost: printAmount(totalOf(members)),
      event_count: members.length,
      percent_of_total: percentOf(totalOf(members), totalOf(events)),
    })),
    total_cost: printAmount(totalOf(events)),
  };
}

export function byKey(events: readonly Priced[], key: string): { name: string; figures: Record<string, unknown> }[] {
  return groups(events, (event) => valueOf(event, key)).map(({ name, events: members }) => ({
    name,
    figures: figuresOf(members, totalOf(events)),
  }));
}

export function values(events: readonly Priced[], key: string): string[] {
  return [...new Set(events.map((event) => valueOf(event, key)))].filter((value) => value !== UNASSIGNED).sort(byText);
}

/** UUIDv5, RFC 9562 section 5.5 (decision 9, D51). */
export function endUserUuid(organizationId: string, externalId: string): string {
  const bytes = createHash('sha1')
    .update(Buffer.from(organizationId.replaceAll('-', ''), 'hex'))
    .update(externalId)
    .digest()
    .subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The events, newest first, then by id; including unpriced ones. */
export function usageEvents(events: readonly Booked[]): unknown[] {
  return [...events]
    .sort((one, other) => (one.at === other.at ? byText(one.id, other.id) : one.at > other.at ? -1 : 1))
    .map((event) => ({
      id: event.id,
      event_type: 'ai.inference',
      metric_name: 'tokens',
      quantity: quantityOf(event),
      event_timestamp: isoOf(event.at),
      metadata: event.metadata,
    }));
}

export const quantityOf = ({ usage }: Booked): number => usage.input + usage.output;
