/** Proposes fixes for a difference from its causes. */
import { type Money, sum, ZERO } from '#kernel/money.ts';
import { type TokenClass, wireName } from '#schema/token-classes.ts';
import type { BillDifference, CauseShare } from '../comparison/bill-comparison.ts';

export interface ProposedFix {
  readonly kind: 'ACCEPT' | 'UNTRACK' | 'RATE';
  readonly title: string;
  /** The part of the difference that the fix removes or closes. */
  readonly amount: Money;
  readonly scope: string | null;
  readonly tokenClass: TokenClass | null;
  /** USD per million tokens. */
  readonly price: Money | null;
}

export function proposeFixes({ model, causes, unexplained }: BillDifference): ProposedFix[] {
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
      default:
        return [];
    }
  });
  if (unexplained === null || unexplained.isZero()) return proposals;
  return [
    ...proposals,
    { ...NOTHING, kind: 'ACCEPT', title: 'Accept the unexplained part with a note', amount: unexplained },
  ];
}

const NOTHING = { amount: sum([]), scope: null, tokenClass: null, price: null };

function rateOf(model: string, { amount, tokenClass, price }: CauseShare): ProposedFix {
  return {
    kind: 'RATE',
    title: `Set the ${wireName(tokenClass!)} rate of ${model} to ${price!.toDecimalPlaces(9).toFixed()} a million and reprice from this day`,
    amount,
    scope: null,
    tokenClass: tokenClass ?? null,
    price: price ?? null,
  };
}
