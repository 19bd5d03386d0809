/** Offers known values for filters that select nothing. */
import { nearestText } from '#kernel/nearest-text.ts';
import { html, type Html } from '../shell/html.ts';
import type { CostCondition } from './cost-keys.ts';

/** `hrefOf`: the page with one filter replaced by another. */
export function didYouMean(
  filters: readonly CostCondition[],
  known: readonly string[],
  hrefOf: (filter: CostCondition, meant: CostCondition) => string,
): Html | false {
  const offers = filters.flatMap((filter) => {
    const value = filter.key === 'customer' ? null : nearestText(filter.value, known);
    return value === null ? [] : [html`<a href="${hrefOf(filter, { ...filter, value })}">${value}</a>`];
  });
  return (
    offers.length > 0 &&
    html`<p class="notice">Did you mean ${offers.map((offer, index) => html`${index > 0 && ' and '}${offer}`)}?</p>`
  );
}
