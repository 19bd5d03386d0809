/**
 * A waterfall from the current to the simulated total: the largest differences separately, the others as one. Rendered
 * here, without scripts.
 */
import { usdText } from '#kernel/usd-text.ts';
import { amount, type Money, approximate, money, plain, sum } from '#kernel/money.ts';
import { shownValue, toShown } from '../../figures/shown-parts.ts';
import { tickText } from '../../figures/trend-chart.ts';
import { html, type Html } from '../../shell/html.ts';

export interface Difference {
  readonly name: string;
  /** USD as shown; a decrease is negative. */
  readonly amount: string;
}

const SHOWN = 8;
const HEIGHT = 100;
const BAR = 0.72;

interface Step extends Difference {
  readonly kind: 'whole' | 'more' | 'less';
  readonly from: Money;
  readonly to: Money;
}

/** `differences` are sorted, largest first. The remainder up to the difference of the two shown totals is added here. */
export function differenceChart(
  before: Difference,
  differences: readonly Difference[],
  after: Difference,
  /** True if an increase is bad. */
  isCost: boolean,
): Html {
  const steps = stepsOf(before, differences, after);
  const heights = steps.flatMap(({ from, to }) => [approximate(from), approximate(to)]);
  const top = Math.max(...heights, 0);
  const bottom = Math.min(...heights, 0);
  const scale = top === bottom ? 0 : HEIGHT / (top - bottom);
  const y = (amount: number) => (top - amount) * scale;
  return html`
<p>${before.name}: ${usdText(before.amount)}. ${after.name}: ${usdText(after.amount)}. Between them: the change by customer, largest first.</p>
<figure class="trend">
  <div class="plot">
    <span class="tick high">${tickText(top >= 1_000 ? Math.round(top) : top)}</span>
    <svg viewBox="0 0 ${steps.length} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="From ${before.name} to ${after.name}, also given as a table below">
      <path class="grid" d="M0 ${y(0).toFixed(2)}H${steps.length}"/>
      ${steps.map(({ name, amount: change, from, to, kind }, index) => {
        const [one, other] = [y(approximate(from)), y(approximate(to))];
        const height = Math.max(Math.abs(one - other), 0.5);
        return html`<g><title>${name}: ${usdText(change)}</title><rect class="slot" x="${index}" width="1" height="${HEIGHT}"/><rect class="bar ${kind === 'whole' ? '' : (kind === 'more') === isCost ? 'worse' : 'better'}" x="${(index + (1 - BAR) / 2).toFixed(2)}" y="${Math.min(one, other).toFixed(2)}" width="${BAR}" height="${height.toFixed(2)}"/></g>`;
      })}
    </svg>
  </div>
  <svg class="step-names" aria-hidden="true">${steps.map(({ name }, index) => html`<text x="${(((index + 0.5) / steps.length) * 100).toFixed(2)}%" y="${index % 2 === 0 ? 11 : 25}">${shortened(name)}</text>`)}</svg>
  <details><summary>Show as a table</summary>
    <div class="scroll" tabindex="0" role="region" aria-label="From ${before.name} to ${after.name}"><table>
      <thead><tr><th scope="col">Step</th><th scope="col" class="number">USD</th></tr></thead>
      <tbody>${steps.map(({ name, amount: change }) => html`<tr><th scope="row" class="name">${name}</th><td class="number">${usdText(change)}</td></tr>`)}</tbody>
    </table></div>
  </details>
</figure>`;
}

const NAME_MAX = 16;

function shortened(name: string): string {
  return name.length > NAME_MAX ? `${name.slice(0, NAME_MAX - 1)}…` : name;
}

function stepsOf(before: Difference, differences: readonly Difference[], after: Difference): Step[] {
  const [first, last] = [before, after].map(({ amount: text }) => money(plain(shownValue(toShown(amount(text)))))) as [
    Money,
    Money,
  ];
  const zero = first.minus(first);
  const changed = differences.filter((one) => !money(one.amount).isZero()).slice(0, SHOWN);
  const rest = last.minus(first).minus(sum(changed.map((one) => money(one.amount))));
  const all = rest.isZero() ? changed : [...changed, { name: 'All others', amount: plain(rest) }];
  let at = first;
  const steps = all.map((difference): Step => {
    const from = at;
    at = at.plus(money(difference.amount));
    return { ...difference, kind: at.lt(from) ? 'less' : 'more', from, to: at };
  });
  return [
    { ...before, kind: 'whole', from: zero, to: first },
    ...steps,
    { ...after, kind: 'whole', from: zero, to: last },
  ];
}
