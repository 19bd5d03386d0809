/** Marks of the pages about bills: the verdict of a day, and its causes as a stacked bar. */
import { enumText } from '#kernel/enum-value.ts';
import { money, NO_QUANTITY, sum } from '#kernel/money.ts';
import { usdText } from '#kernel/usd-text.ts';
import { html, type Html } from '../../shell/html.ts';

interface ShownDay {
  readonly state: string;
  readonly isUnexplained: boolean;
  readonly amountVerdict: string;
  readonly differences: readonly {
    readonly unexplained: string | null;
    readonly causes: readonly { readonly cause: string; readonly amount: string }[];
  }[];
}

/** An amount of a bill, rounded to cents: its currency is named next to it. */
export function billAmount(text: string): Html {
  return html`<data value="${text}">${usdText(text).replace('$', '')}</data>`;
}

export function causeName(cause: string): string {
  return enumText(cause).replaceAll('_', ' ');
}

/** Labels of the kinds of fix. */
export const FIX_NAMES = {
  ACCEPT: 'Accepted',
  UNTRACK: 'Not tracked',
  RATE: 'Rate set',
  DISCOUNT: 'Discount recorded',
  ADJUST: 'Booked without a customer',
} as const;

export function verdictBadge({ state, isUnexplained, amountVerdict }: ShownDay): Html {
  if (state === 'OPEN' || state === 'SETTLING') return html`<span class="badge">${enumText(state)}</span>`;
  if (state === 'CLOSED') return html`<span class="badge good">accepted</span>`;
  if (isUnexplained) return html`<span class="badge bad">differs</span>`;
  return html`<span class="badge ${amountVerdict === 'UNKNOWN' ? '' : 'good'}">${enumText(amountVerdict)}</span>`;
}

const WIDTH = 100;
const HEIGHT = 8;
const SHADES = [0.9, 0.65, 0.45, 0.3, 0.2];

/** The width of a part is the absolute value of its amounts, relative to the sum over all causes. */
export function causeBar({ differences }: ShownDay): Html | false {
  const shares = new Map<string, string[]>();
  for (const { causes, unexplained } of differences) {
    for (const { cause, amount } of causes) shares.set(cause, [...(shares.get(cause) ?? []), amount]);
    if (unexplained !== null && unexplained !== '0')
      shares.set('UNEXPLAINED', [...(shares.get('UNEXPLAINED') ?? []), unexplained]);
  }
  const sizes = [...shares].map(([cause, amounts]) => ({
    cause,
    size: sum(amounts.map((amount) => money(amount).abs())),
  }));
  const total = sum(sizes.map(({ size }) => size));
  if (total.isZero()) return false;
  let x = NO_QUANTITY;
  const parts = sizes.map(({ cause, size }, index) => {
    const width = size.div(total).times(WIDTH);
    const part = html`<rect x="${x.toFixed(2)}" y="0" width="${width.toFixed(2)}" height="${HEIGHT}" fill="currentColor" fill-opacity="${SHADES[index % SHADES.length]}"><title>${causeName(cause)}</title></rect>`;
    x = x.plus(width);
    return part;
  });
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="160" height="12" preserveAspectRatio="none" role="img" aria-label="${sizes.map(({ cause }) => causeName(cause)).join(', ')}">${parts}</svg>`;
}
