/** Proposes fixes for a difference from its causes. */
import { type Money, NO_QUANTITY, plain, type Quantity, sum, ZERO } from '#kernel/money.ts';
import { type TokenClass, wireName } from '#schema/token-classes.ts';
import { type BillDifference, type CauseShare, isWithoutEvents, openAmount } from '../comparison/bill-comparison.ts';
import { OWN_CURRENCY } from '../comparison/explain-currency.ts';
import type { StoredFix } from '../decisions/bill-fix.table.ts';
import { isUnfinished } from '../decisions/is-unfinished.ts';

export interface AgreedDiscount {
  readonly provider: string;
  /** Null for all models of the provider. */
  readonly model: string | null;
  readonly percent: Quantity;
}

export interface ProposedFix {
  readonly kind: 'ACCEPT' | 'UNTRACK' | 'RATE' | 'DISCOUNT' | 'ADJUST';
  readonly title: string;
  /** The part of the difference that the fix removes or closes. */
  readonly amount: Money;
  readonly scope: string | null;
  /** The cause that an `ADJUST` books; null for the unexplained part. */
  readonly cause: 'NOT_TRACKED' | null;
  readonly tokenClass: TokenClass | null;
  /** USD per million tokens. */
  readonly price: Money | null;
  readonly discount: AgreedDiscount | null;
}

/** The day of a difference, with the provider of each model in the books. */
interface Day {
  readonly day: string;
  readonly currencies: readonly string[];
  readonly differences: readonly BillDifference[];
  readonly providers: ReadonlyMap<string, string>;
  /** Fixes in force: applied and not reverted. */
  readonly fixes: readonly Pick<StoredFix, 'kind' | 'model' | 'operationId'>[];
}

export function proposeFixes(day: Day, difference: BillDifference): ProposedFix[] {
  const { model, causes } = difference;
  const proposals = causes.flatMap((share): ProposedFix[] => {
    switch (share.cause) {
      case 'SILENT_SCOPE':
        return (share.scopes ?? []).map((scope) => ({
          ...NOTHING,
          kind: 'UNTRACK',
          title: `Mark ${scope} as not tracked, if it deliberately does not report`,
          amount: share.scopes?.length === 1 ? share.amount : ZERO,
          scope,
        }));
      case 'NEW_PRICE':
      case 'OTHER_PRICE':
        return model === null || share.tokenClass === undefined || share.price === undefined
          ? []
          : [rateOf(model, share)];
      case 'DISCOUNT':
        return discountOf(day, model, share);
      default:
        return [];
    }
  });
  proposals.push(...costsWithoutEvents(day, causes));
  const open = openAmount(difference);
  if (open === null || open.isZero()) return proposals;
  const title =
    difference.unknownCurrency === null
      ? 'Accept the unexplained part with a note'
      : `Accept what is billed in ${difference.unknownCurrency} with a note`;
  const accepted: ProposedFix = { ...NOTHING, kind: 'ACCEPT', title, amount: open };
  // An adjustment is in USD.
  if (difference.unknownCurrency !== null) return [...proposals, accepted];
  const booked = 'Book the unexplained part as a cost without a customer, with a note';
  return [...proposals, accepted, { ...NOTHING, kind: 'ADJUST', title: booked, amount: open }];
}

const NOTHING = { amount: ZERO, scope: null, cause: null, tokenClass: null, price: null, discount: null };

/** Storage, tax, fees and other costs that are understood but have no usage events. An adjustment is in USD. */
function costsWithoutEvents({ currencies }: Day, causes: readonly CauseShare[]): ProposedFix[] {
  const amount = sum(causes.filter(isWithoutEvents).map((share) => share.amount));
  if (amount.isZero() || currencies.some((currency) => currency !== OWN_CURRENCY)) return [];
  const title = 'Book what is charged without usage events as a cost without a customer, with a note';
  return [{ ...NOTHING, kind: 'ADJUST', title, amount, cause: 'NOT_TRACKED' }];
}

function rateOf(model: string, { amount, tokenClass, price }: CauseShare): ProposedFix {
  return {
    ...NOTHING,
    kind: 'RATE',
    title: `Set the ${wireName(tokenClass!)} rate of ${model} to ${price!.toDecimalPlaces(9).toFixed()} a million and reprice from this day`,
    amount,
    tokenClass: tokenClass ?? null,
    price: price ?? null,
  };
}

/** Proposes a discount for all models if the whole day has one discount with one provider. */
function discountOf({ differences, providers, fixes }: Day, model: string | null, share: CauseShare): ProposedFix[] {
  const percent = percentOf(share);
  const provider = model === null ? undefined : providers.get(model);
  // A negative percentage means that the books have a discount that is not on the bill, because its agreement has
  // ended.
  if (percent === null || provider === undefined) return [];
  // In a closed month, the difference remains after the discount is recorded.
  if (fixes.some((fix) => fix.kind === 'DISCOUNT' && fix.model === model && !isUnfinished(fix))) return [];
  const charged = differences.filter(({ billed, own }) => !billed.isZero() && own !== null && !own.isZero());
  const isForAll =
    new Set(providers.values()).size === 1 &&
    charged.every(({ causes }) =>
      causes.some((one) => one.cause === 'DISCOUNT' && percentOf(one)?.eq(percent) === true),
    );
  const what = isForAll ? `everything from ${provider}` : model!;
  return [
    {
      ...NOTHING,
      kind: 'DISCOUNT',
      title: `Record ${plain(percent)}% off ${what} from this day on, and reprice`,
      amount: share.amount,
      discount: { provider, model: isForAll ? null : model, percent },
    },
  ];
}

/**
 * Significant digits of a percentage, as contracts state it. Amounts on bills are rounded, so their ratio has more
 * digits.
 */
const PERCENT_DIGITS = 4;

function percentOf({ percent }: CauseShare): Quantity | null {
  const rounded = percent?.toSignificantDigits(PERCENT_DIGITS) ?? NO_QUANTITY;
  return rounded.gt(0) ? rounded : null;
}
