/**
 * The break-even of bought capacity: the used percentage above which it costs less than the same calls priced by token.
 */
import { html, type Html } from '../shell/html.ts';
import { formatPercent } from './amount.ts';

interface Capacity {
  readonly driver: string;
  readonly replacesModelCost: boolean;
  readonly utilisation: { readonly breakEvenPercent: number | null };
}

/**
 * False for capacity that cannot be compared with prices by token, such as a vector database that is divided by events.
 */
export function hasBreakEven({ driver, replacesModelCost, utilisation }: Capacity): boolean {
  return utilisation.breakEvenPercent !== null && (replacesModelCost || driver === 'TOKENS' || driver === 'UNITS');
}

/** The break-even at list prices, if it differs from the one at contracted prices. */
export function breakEvenAtList(contracted: number | null, list: number | null): Html | false {
  return list !== null && list !== contracted && html` <br> <span class="muted">list ${formatPercent(list)}</span>`;
}
