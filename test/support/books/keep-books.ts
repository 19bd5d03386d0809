/** Sends events to a running service and keeps independent books: the expected state and cost of each event. */
import { expect } from 'vitest';
import { post, settle } from '../api-client.ts';
import type { RunningService } from '../running-service.ts';
import { type Card, costOf, findCard } from './book-cards.ts';
import type { BookEvent } from './book-event.ts';
import { DAY, isoOf, SECOND } from './book-instant.ts';
import { amount } from './exact-amount.ts';
import type { Booked, Window } from './plain-books.ts';

/** `event` is null if the item must be rejected. */
export interface Item {
  readonly body: unknown;
  readonly event: BookEvent | null;
}

/** Provider as reported, to its catalogue slug; names not listed here are unknown. */
const PROVIDER_SLUGS: Readonly<Record<string, string>> = {
  openai: 'openai',
  OpenAI: 'openai',
  anthropic: 'anthropic',
  claude: 'anthropic',
  bedrock: 'aws',
  google: 'google',
};
const DISPLAY_NAMES: Readonly<Record<string, string>> = { openai: 'OpenAI', anthropic: 'Anthropic', google: 'Google' };

type Kept = BookEvent & Pick<Booked, 'id' | 'modelSlug' | 'cost'>;

export class Books {
  readonly service: RunningService;
  cards: Card[];
  /** Null: no limit. */
  creditsLeft: number | null = null;
  private softLimitLeft: number | null = null;
  private readonly kept = new Map<string, Kept>();

  constructor(service: RunningService, cards: Card[]) {
    this.service = service;
    this.cards = cards;
  }

  setPlan(allotment: number, softLimit: number): void {
    [this.creditsLeft, this.softLimitLeft] = [allotment, softLimit];
  }

  addPack(events: number): void {
    this.creditsLeft = (this.creditsLeft ?? 0) + events;
  }

  /** Sends one batch and compares every result with the contract. Returns the items for which no credit was left. */
  async send(items: readonly Item[], live: boolean): Promise<Item[]> {
    const { live_ingest_key: liveKey, test_ingest_key: testKey } = this.service.firstRun;
    const sentAt = BigInt(Date.now()) * 1000n;
    const { status, body } = await post(
      this.service.url,
      '/usage-events/batch',
      live ? liveKey : testKey,
      items.map((item) => item.body),
    );
    expect(status).toBe(202);
    const outcomes = items.map((item, index) => this.expectResult(item, live, sentAt, body.results[index], index));
    expect([body.accepted, body.failed]).toEqual([
      outcomes.filter((status) => status === 'accepted').length,
      outcomes.filter((status) => status !== 'accepted').length,
    ]);
    return items.filter((_, index) => outcomes[index] === 'unpaid');
  }

  /** Waits for the service to price what it can, and prices the same events here. */
  async settle(): Promise<void> {
    await settle(this.service.url, this.service.firstRun.operator_token);
    for (const [key, event] of this.kept) if (event.cost === null) this.kept.set(key, this.price(event));
  }

  /** Reprices as the service should, with the current cards. Returns a function that reverts it. */
  reprice({ start, end }: Window): () => void {
    const before = [...this.kept];
    for (const [key, event] of this.kept) {
      if (event.cost !== null && event.live && event.at >= start && event.at < end)
        this.kept.set(key, this.price(event));
    }
    return () => before.forEach(([key, event]) => this.kept.set(key, event));
  }

  live(): Booked[] {
    return [...this.kept.values()].filter(({ live }) => live).map((event) => ({ ...event, ...this.providerOf(event) }));
  }

  private price(event: Kept): Kept {
    if (event.override !== null) {
      const none = { input: 0n, output: 0n, cacheCreation: null, cacheRead: null, reasoning: null };
      return { ...event, modelSlug: event.model, cost: { total: amount(event.override), ...none } };
    }
    const card = this.cardOf(event);
    return {
      ...event,
      modelSlug: card?.slug ?? event.model,
      cost: card && costOf(event.usage, card, event.at, this.slugOf(event)),
    };
  }

  private slugOf({ provider }: Pick<BookEvent, 'provider'>): string | null {
    return provider === null ? null : (PROVIDER_SLUGS[provider] ?? 'unknown');
  }

  private cardOf({ model, provider }: BookEvent): Card | null {
    return findCard(this.cards, model, this.slugOf({ provider }));
  }

  private providerOf(event: BookEvent): { providerSlug: string; providerName: string; providerReported: boolean } {
    const reported = event.provider === null ? null : (PROVIDER_SLUGS[event.provider] ?? 'unknown');
    const slug = reported ?? this.cardOf(event)?.provider ?? 'unknown';
    return {
      providerSlug: slug,
      providerName: event.provider ?? DISPLAY_NAMES[slug] ?? slug,
      providerReported: event.provider !== null,
    };
  }

  private expectResult(
    { event, body }: Item,
    live: boolean,
    sentAt: bigint,
    result: Record<string, unknown>,
    index: number,
  ): 'accepted' | 'unpaid' | 'refused' {
    const detail = JSON.stringify({ body, result });
    expect(result['index'], detail).toBe(index);
    if (event === null) {
      expect([result['status'], result['error']], detail).toEqual(['rejected', 'VALIDATION_ERROR']);
      return 'refused';
    }
    const key = `${live} ${event.key}`;
    const known = this.kept.get(key);
    if (known) {
      expect([result['status'], result['event_id']], detail).toEqual(['accepted', known.id]);
      return 'accepted';
    }
    if (this.creditsLeft === 0) {
      expect([result['status'], result['error']], detail).toEqual(['rejected', 'PAYMENT_REQUIRED']);
      return 'unpaid';
    }
    this.spend();
    const flags = this.flagsOf(event, sentAt);
    expect(result['flag_reason'] ?? '', detail).toBe(flags);
    expect(result['status'], detail).toBe(flags === '' ? 'accepted' : 'accepted_flagged');
    this.kept.set(key, { ...event, live, id: String(result['event_id']), cost: null, modelSlug: event.model });
    return 'accepted';
  }

  private spend(): void {
    if (this.creditsLeft !== null) this.creditsLeft--;
    if (this.softLimitLeft !== null) this.softLimitLeft--;
  }

  private flagsOf(event: BookEvent, sentAt: bigint): string {
    return [
      ...(sentAt - event.at > DAY ? ['timestamp_too_old'] : []),
      ...(event.at - sentAt > 60n * SECOND ? ['timestamp_in_future'] : []),
      ...(this.softLimitLeft !== null && this.softLimitLeft < 0 ? ['quota_soft_limit'] : []),
      ...(event.override === null && this.cardOf(event) === null ? ['no_rate_card'] : []),
    ].join(',');
  }
}

export function rangeOf({ start, end }: Window): string {
  return `start_date=${encodeURIComponent(isoOf(start))}&end_date=${encodeURIComponent(isoOf(end))}`;
}
