/** Asks the service whether a call may spend its maximum cost. Unlike for events, the caller waits for the response. */
import type { CallContext } from './call-context.ts';
import type { Fetch } from './metered-fetch.ts';
import { randomUuid } from './random.ts';

export interface HoldInput {
  /** Default: the end user of the context. */
  readonly userId?: string | undefined;
  /** Default: the agent of the context. */
  readonly agentId?: string | undefined;
  readonly model?: string | undefined;
  /** Default: inferred from the model. */
  readonly provider?: string | undefined;
  readonly maxInputTokens?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** USD, instead of tokens. */
  readonly amount?: number | string | undefined;
  /** Seconds until the hold expires. Default: 600. */
  readonly ttl?: number | undefined;
  /** The same key gets the same answer for 24 hours. Default: a new one. */
  readonly idempotencyKey?: string | undefined;
  /**
   * Result if the service does not answer because it is unavailable, slow or over its limit. `throw`: a `HoldError`.
   * `deny`: not allowed (fail closed). `allow`: allowed without a hold (fail open). Default: `throw`. A request that the
   * service refuses always throws.
   */
  readonly withoutAnswer?: 'throw' | 'deny' | 'allow' | undefined;
  /** For both attempts together. Default: 2,000. */
  readonly timeoutMs?: number | undefined;
}

export interface HoldAnswer {
  readonly allowed: boolean;
  /** Value for the dimension `hold_id` of the call; null if nothing is reserved. */
  readonly hold: string | null;
  /** USD left; null if no allowance applies to the call. */
  readonly left: string | null;
  /** The service's reason, or `WITHOUT_ANSWER`. */
  readonly because: string;
  /** Maximum cost of the call, in USD; null without an answer. */
  readonly amount: string | null;
}

/** `isRefused`: the service refused the request or the key, so that a retry would not help. */
export class HoldError extends Error {
  readonly isRefused: boolean;

  constructor(message: string, isRefused: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = 'HoldError';
    this.isRefused = isRefused;
  }
}

interface HoldsInput {
  readonly url: string;
  readonly apiKey: string;
  readonly fetch: Fetch;
}

const TIMEOUT_MS = 2_000;
const ATTEMPTS = 2;

/** Fails with a `HoldError` if the service refuses the request, or does not answer and `withoutAnswer` is `throw`. */
export async function askForHold(service: HoldsInput, input: HoldInput, context: CallContext): Promise<HoldAnswer> {
  const body = {
    idempotency_key: input.idempotencyKey ?? randomUuid(),
    end_user: input.userId ?? context.userId,
    agent: input.agentId ?? context.agentId,
    model: input.model,
    provider: input.provider,
    max_input_tokens: input.maxInputTokens,
    max_output_tokens: input.maxOutputTokens,
    amount: typeof input.amount === 'number' ? plainAmount(input.amount) : input.amount,
    ttl: input.ttl,
  };
  try {
    const { allowed, hold, left, because, amount } = await post(service, '/ext/v1/holds', body, input.timeoutMs);
    if (typeof allowed !== 'boolean') throw new HoldError('The response does not come from the service', false);
    return { allowed, hold, left, because, amount } as HoldAnswer;
  } catch (error) {
    const { withoutAnswer = 'throw' } = input;
    if (!(error instanceof HoldError) || error.isRefused || withoutAnswer === 'throw') throw error;
    return { allowed: withoutAnswer === 'allow', hold: null, left: null, because: 'WITHOUT_ANSWER', amount: null };
  }
}

/** Without an exponent, which the service refuses, and with at most the 15 decimals of the service's amounts. */
function plainAmount(amount: number): string {
  const text = String(amount);
  const [, decimals = ''] = text.split('.');
  return text.includes('e') || decimals.length > 15 ? amount.toFixed(15) : text;
}

/** Releases the hold of a call that was not made. Fails with a `HoldError`; the hold then expires by itself. */
export async function releaseHold(service: HoldsInput, hold: string): Promise<void> {
  await post(service, '/ext/v1/release-hold', { hold }, undefined);
}

/** Sends twice at most; the key of the request makes that harmless. */
async function post(
  { url, apiKey, fetch }: HoldsInput,
  path: string,
  body: object,
  timeoutMs = TIMEOUT_MS,
): Promise<Readonly<Record<string, unknown>>> {
  if (apiKey === '') throw new HoldError('No API key: set BOOKS_API_KEY or apiKey', true);
  const signal = AbortSignal.timeout(timeoutMs);
  for (let attempt = 1; ; attempt++) {
    try {
      const response = await fetch(`${url}${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        redirect: 'manual',
        signal,
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      });
      const text = await response.text();
      if (response.status === 200) return JSON.parse(text) as Readonly<Record<string, unknown>>;
      const isRefused = response.status >= 400 && response.status < 500 && ![408, 429].includes(response.status);
      throw new HoldError(`${response.status} ${text.slice(0, 200)}`, isRefused);
    } catch (error) {
      const failure = error instanceof HoldError ? error : new HoldError(describe(error), false, { cause: error });
      if (failure.isRefused || attempt === ATTEMPTS || signal.aborted) throw failure;
    }
  }
}

function describe(error: unknown): string {
  return `The service did not answer: ${error instanceof Error ? error.message : String(error)}`;
}
