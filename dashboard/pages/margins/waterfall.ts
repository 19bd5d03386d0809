/**
 * A total, the deductions step by step, and the remainder: a table in which each bar begins at the end of the previous
 * one.
 */
import { amount, approximate, money, sum } from '#kernel/money.ts';
import { rounded } from '#kernel/rounded-parts.ts';
import { ROUNDING, roundingOf, shownAmount, shownText } from '../../figures/shown-parts.ts';
import { html, type Html } from '../../shell/html.ts';

export interface Step {
  readonly name: string;
  readonly note?: string;
  /** `null`: no link. */
  readonly href: string | null;
  /** USD, with its sign. */
  readonly change: string;
  /** True if the bar begins at zero: the first and the last step. */
  readonly isTotal?: boolean;
}

const WIDTH = 400;

export function waterfall(steps: readonly Step[]): Html {
  const ends = steps.map(({ change, isTotal }, index) => {
    const until = isTotal === true ? money(change) : sum(steps.slice(0, index + 1).map((step) => money(step.change)));
    const from = isTotal === true ? money('0') : until.minus(money(change));
    return { from: approximate(from), until: approximate(until) };
  });
  const all = ends.flatMap(({ from, until }) => [from, until]);
  const [least, most] = [Math.min(...all, 0), Math.max(...all, 0)];
  const { amounts, rounding } = shownSteps(steps);
  const xOf = (value: number) => (most === least ? 0 : ((value - least) / (most - least)) * WIDTH);
  return html`
<div class="scroll" tabindex="0" role="region" aria-label="Steps from revenue to margin"><table class="fold waterfall">
  <thead><tr><th scope="col">Step</th><th scope="col" class="number">Amount</th><th scope="col"><span class="unseen">Chart</span></th></tr></thead>
  <tbody>${steps.map(({ name, note, href, change, isTotal }, index) => {
    const { from, until } = ends[index] ?? { from: 0, until: 0 };
    const shown = amounts[index] ?? 0n;
    const label = `${name}: ${shownText(amount(change), shown)}`;
    const x = Math.min(xOf(from), xOf(until));
    const width = Math.max(Math.abs(xOf(until) - xOf(from)), 0.75);
    const isLoss = isTotal === true && until < 0;
    const isLast = index === steps.length - 1;
    return html`${
      isLast &&
      rounding !== 0n &&
      html`
    <tr class="rounding"><th scope="row">${ROUNDING}</th><td class="number" data-label="Amount">${shownAmount(0n, rounding)}</td><td></td></tr>`
    }
    <tr${isTotal === true && html` class="total"`}><th scope="row" class="name">${href === null ? name : html`<a href="${href}">${name}</a>`}${note !== undefined && html` <span class="muted">${note}</span>`}</th><td class="number" data-label="Amount">${shownAmount(amount(change), shown)}</td>
      <td class="drawn"><svg viewBox="0 0 ${WIDTH} 16" preserveAspectRatio="none" role="img" aria-label="${label}"><title>${label}</title><path class="grid" d="M${xOf(0).toFixed(2)} 0V16"/><rect fill="url(#pattern-${isTotal === true ? (isLoss ? 3 : 0) : 1})" x="${x.toFixed(2)}" y="2" width="${width.toFixed(2)}" height="12"/></svg></td></tr>`;
  })}
  </tbody></table></div>`;
}

/** The shown margin is the difference of the shown revenue and cost. */
function shownSteps(steps: readonly Step[]): { readonly amounts: bigint[]; readonly rounding: bigint } {
  const changes = steps.map(({ change }) => amount(change));
  const [first = 0n, last = 0n] = [changes[0], changes.at(-1)];
  const deducted = changes.slice(1, -1);
  return {
    amounts: [rounded(first), ...deducted.map(rounded), rounded(first) + rounded(last - first)],
    rounding: roundingOf(last - first, deducted).shown,
  };
}
