/** Parses the hypothetical changes of a simulation, one kind per entry, and rejects invalid ones. */
import { type Exact, money, type Money, plain, quantity, type Quantity } from '#kernel/money.ts';
import { fail } from '#kernel/errors.ts';
import { TOKEN_CLASS_NAMES, type TokenClass, wireName } from '#schema/token-classes.ts';
import type { SimulatedChange } from '../resolvers.generated.ts';

const CHANGES_MAX = 20;
const RATE_DIGITS_MAX = 9;
const AMOUNT_MAX = money('1000000');
const FACTOR_MAX = quantity(1_000_000);

export interface Replacement {
  readonly model: string;
  readonly provider: string | null;
  readonly byModel: string;
  readonly byProvider: string | null;
}

export interface RateChange {
  readonly model: string;
  readonly provider: string | null;
  /** Null: every class. */
  readonly tokenClass: TokenClass | null;
  /** USD per million tokens; null if a factor is set. */
  readonly amount: Money | null;
  readonly factor: Quantity | null;
}

/** A share of 0 to 1, in millionths. */
export interface ShareChange {
  /** Null: every model. */
  readonly model: string | null;
  readonly millionths: bigint;
}

export interface Changes {
  readonly replacements: readonly Replacement[];
  readonly rates: readonly RateChange[];
  readonly cachedShares: readonly ShareChange[];
  readonly batchShares: readonly ShareChange[];
}

/** Fails with `VALIDATION_ERROR`. */
export function parseChanges(inputs: readonly SimulatedChange[]): Changes {
  if (inputs.length === 0 || inputs.length > CHANGES_MAX)
    fail('VALIDATION_ERROR', `changes must contain 1 to ${CHANGES_MAX} changes`);
  for (const input of inputs) {
    const named = Object.values(input).filter((part) => part !== null && part !== undefined);
    if (named.length !== 1)
      fail('VALIDATION_ERROR', 'A change must have exactly one of: replace, rate, cachedShare, batchShare');
  }
  const changes = {
    replacements: inputs.flatMap(({ replace }) => (replace ? [{ ...sold(replace), ...soldInstead(replace) }] : [])),
    rates: inputs.flatMap(({ rate }) => (rate ? [parseRate(rate)] : [])),
    cachedShares: inputs.flatMap(({ cachedShare }) => (cachedShare ? [parseShare('cachedShare', cachedShare)] : [])),
    batchShares: inputs.flatMap(({ batchShare }) => (batchShare ? [parseShare('batchShare', batchShare)] : [])),
  };
  refuseRepeated('replace', changes.replacements.map(nameOf));
  refuseRepeated(
    'rate',
    changes.rates.map((rate) => `${nameOf(rate)} ${rate.tokenClass ?? 'all'}`),
  );
  refuseRepeated(
    'cachedShare',
    changes.cachedShares.map(({ model }) => model ?? 'every model'),
  );
  refuseRepeated(
    'batchShare',
    changes.batchShares.map(({ model }) => model ?? 'every model'),
  );
  return changes;
}

/**
 * True if a change of `model`, optionally at one provider, applies to usage booked under the given model and provider.
 */
export function appliesTo(
  { model, provider }: { readonly model: string; readonly provider: string | null },
  booked: { readonly modelSlug: string; readonly providerSlug: string },
): boolean {
  return model === booked.modelSlug && (provider === null || provider === booked.providerSlug);
}

type Inputs = { readonly [Name in keyof SimulatedChange]-?: NonNullable<SimulatedChange[Name]> };

function sold({ model, provider }: { readonly model: string; readonly provider?: string | null | undefined }) {
  return { model: model.trim(), provider: provider?.trim() ?? null };
}

function soldInstead({ byModel, byProvider }: Inputs['replace']) {
  return { byModel: byModel.trim(), byProvider: byProvider?.trim() ?? null };
}

function parseRate(input: Inputs['rate']): RateChange {
  const { tokenClass, amount, factor } = input;
  const known = TOKEN_CLASS_NAMES.find((name) => wireName(name) === tokenClass || name === tokenClass) ?? null;
  if (tokenClass && known === null)
    fail(
      'VALIDATION_ERROR',
      `tokenClass must be one of: ${TOKEN_CLASS_NAMES.map((name) => wireName(name)).join(', ')}`,
    );
  if (((amount ?? null) === null) === ((factor ?? null) === null))
    fail('VALIDATION_ERROR', 'A rate must have exactly one of: amount, factor');
  if (amount && known === null) fail('VALIDATION_ERROR', 'An amount needs a tokenClass');
  return {
    ...sold(input),
    tokenClass: known,
    amount: amount ? notNegative('amount', money(amount), AMOUNT_MAX) : null,
    factor: factor ? notNegative('factor', quantity(factor), FACTOR_MAX) : null,
  };
}

function notNegative<T extends Exact<T | 0>>(name: string, value: T, max: T): T {
  if (value.isNegative() || value.gt(max) || value.decimalPlaces() > RATE_DIGITS_MAX)
    fail('VALIDATION_ERROR', `${name} must be from 0 to ${plain(max)} with at most ${RATE_DIGITS_MAX} decimals`);
  return value;
}

function parseShare(name: string, { model, share }: Inputs['cachedShare']): ShareChange {
  const value = quantity(share);
  if (value.isNegative() || value.gt(1) || value.decimalPlaces() > 6)
    fail('VALIDATION_ERROR', `${name}.share must be from 0 to 1 with at most 6 decimals`);
  return { model: model?.trim() ?? null, millionths: BigInt(value.times(1_000_000).toFixed()) };
}

function nameOf({ model, provider }: { readonly model: string; readonly provider: string | null }): string {
  return provider === null ? model : `${provider}/${model}`;
}

function refuseRepeated(kind: string, names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) fail('VALIDATION_ERROR', `Two ${kind} changes name ${repeated}`);
}
