/** Records what clients sent and what was acknowledged: the books must match it. */
import { randomUUID } from 'node:crypto';
import type { SeededRandom } from './seeded-random.ts';

/** Costs are counted in units of the last stored digit. */
const DIGITS = 15;
/** 1,000 input and 100 output tokens of gpt-4o, at 2.50 and 10 USD per million. */
const PRICED = { model: 'gpt-4o', cost: 3_500_000_000_000n };
const MODELS = 4;
const END_USERS = 5;
const BATCHES_KEPT = 30;

export interface JournaledEvent {
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly cost: bigint;
}

export interface AcknowledgedBatch {
  readonly events: readonly JournaledEvent[];
  readonly ids: readonly string[];
}

export interface ModelTotal {
  readonly count: number;
  readonly cost: bigint;
}

export interface PackAttempt {
  readonly events: number;
  /** Id of the pack; null if there was no response. */
  packId: string | null;
  /** True once the pack's record was looked for, whether it was found or is missing. */
  isVerified: boolean;
}

export class Journal {
  readonly models = new Map<string, ModelTotal>();
  /** Some of the latest batches, to be sent again. */
  readonly batches: AcknowledgedBatch[] = [];
  readonly packs: PackAttempt[] = [];
  /** In cents. */
  revenue = 0;
  events = 0;
  #nextPack = 1_000;

  /**
   * Half of the events are priced by the catalogue; the other half have a cost of their own with the maximum number of
   * digits.
   */
  draftEvent(random: SeededRandom, at: string): JournaledEvent {
    const isPriced = random.next() < 0.5;
    const model = isPriced ? PRICED.model : `model-${random.integer(1, MODELS)}`;
    const cost = isPriced ? PRICED.cost : BigInt(random.integer(1, Number.MAX_SAFE_INTEGER));
    return {
      model,
      cost,
      body: {
        idempotency_key: randomUUID(),
        model,
        provider: isPriced ? 'openai' : 'elsewhere',
        input_tokens: 1000,
        output_tokens: 100,
        event_invoked_at: at,
        user_id: `user-${random.integer(1, END_USERS)}`,
        metadata: { agent_id: `agent-${random.integer(1, 3)}` },
        ...(isPriced ? {} : { cost_override: printCost(cost) }),
      },
    };
  }

  acknowledge(events: readonly JournaledEvent[], ids: readonly string[]): void {
    this.batches.push({ events, ids });
    if (this.batches.length > BATCHES_KEPT) this.batches.shift();
    this.events += events.length;
    for (const { model, cost } of events) {
      const before = this.models.get(model) ?? { count: 0, cost: 0n };
      this.models.set(model, { count: before.count + 1, cost: before.cost + cost });
    }
  }

  /** Each pack has a different size, which identifies its record if there was no response. */
  draftPack(): PackAttempt {
    const attempt: PackAttempt = { events: this.#nextPack, packId: null, isVerified: false };
    this.#nextPack += 1;
    this.packs.push(attempt);
    return attempt;
  }

  get cost(): bigint {
    return [...this.models.values()].reduce((sum, { cost }) => sum + cost, 0n);
  }
}

/** Formats amounts as in the contract: no trailing zeros, and no point without digits after it. */
export function printCost(cost: bigint): string {
  const text = cost.toString().padStart(DIGITS + 1, '0');
  const fraction = text.slice(-DIGITS).replace(/0+$/, '');
  return `${text.slice(0, -DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
}
