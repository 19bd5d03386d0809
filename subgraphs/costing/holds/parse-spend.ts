/** Parses a spend request: its subjects, and either an amount or a call with its model and maximum tokens. */
import { createHash } from 'node:crypto';
import { fail } from '#kernel/errors.ts';
import { parseUsd, requiredText } from '../allowances/parse-allowance.ts';
import type { SpendInput } from '../resolvers.generated.ts';

export interface CallEstimate {
  readonly model: string;
  readonly provider: string | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface SpendRequest {
  readonly endUser: string | null;
  readonly agent: string | null;
  /** USD as stated, or the call to price. */
  readonly cost: string | CallEstimate;
}

/** Fails with `VALIDATION_ERROR`. */
export function parseSpend(input: SpendInput): SpendRequest {
  const model = optionalText('model', input.model);
  const { maxInputTokens = null, maxOutputTokens = null } = input;
  const isCounted = maxInputTokens !== null || maxOutputTokens !== null;
  const who = { endUser: optionalText('endUser', input.endUser), agent: optionalText('agent', input.agent) };
  const provider = optionalText('provider', input.provider);
  if (input.amount != null) {
    if (isCounted) fail('VALIDATION_ERROR', 'Give either amount, or maxInputTokens and maxOutputTokens, not both');
    return { ...who, cost: parseUsd('amount', input.amount) };
  }
  if (model === null || maxInputTokens === null || maxOutputTokens === null)
    return fail('VALIDATION_ERROR', 'Send amount, or model with maxInputTokens and maxOutputTokens (0 is allowed)');
  return {
    ...who,
    cost: {
      model,
      provider,
      inputTokens: tokens('maxInputTokens', maxInputTokens),
      outputTokens: tokens('maxOutputTokens', maxOutputTokens),
    },
  };
}

function optionalText(name: string, value: string | null | undefined): string | null {
  return value == null ? null : requiredText(name, value);
}

const TOKENS_MAX = 1_000_000_000;

function tokens(name: string, value: number): number {
  return Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX
    ? value
    : fail('VALIDATION_ERROR', `${name} must be a whole number from 0 to ${TOKENS_MAX}`);
}

/** SHA-256 of a request, in hex: two requests with one key must be the same. */
export function digestOf(request: object): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('hex');
}
