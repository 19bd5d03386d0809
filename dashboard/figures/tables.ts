/** Tables of the overview: the largest costs, and margins. Every row is a link. */
import { html, type Content, type Html } from '../shell/html.ts';
import { costPathOf } from './cost-address.ts';
import { customerPath, marginRows } from './margin-rows.ts';
import type { CostFigures, CostRow, MarginFigures } from './overview-figures.ts';
import { exactAmount, formatCount, formatPercent } from './amount.ts';
import { marginText } from './shown-parts.ts';
import { type WindowChoice, windowParameters } from './window-choice.ts';

const MODELS_MAX = 8;

type Window = CostFigures['window'];

export function costTables(
  models: Window['costsByModel']['items'],
  endUsers: Window['costs'],
  window: WindowChoice,
): Html {
  const modelRows = models.slice(0, MODELS_MAX).map((row) => {
    const filters = [
      { key: 'provider', value: row.providerSlug },
      { key: 'model', value: row.modelSlug },
    ];
    const link = html`<a href="${costPathOf(window, filters, 'customer')}">${row.modelSlug}</a>`;
    return costRow(html`${link} <span class="muted">${row.providerSlug}</span>`, row);
  });
  const withoutOne = costPathOf(window, [{ key: 'customer', value: 'none' }], 'agent');
  const endUserRows = endUsers.nodes.map((row) => {
    const [group] = row.values;
    const name = group?.endUser
      ? html`<a href="${customerPath(group.endUser.endUserId, window)}">${group.endUser.name}</a>`
      : html`<a href="${withoutOne}">Without a customer</a>`;
    return costRow(name, row);
  });
  return html`
<div class="pair">
  ${costTable('By model', 'Model', modelRows, html`<a href="${costPathOf(window, [], 'model')}">${models.length > MODELS_MAX ? `All ${formatCount(models.length)} models` : 'More about models'}</a>`)}
  ${costTable('By customer', 'Customer', endUserRows, html`<a href="${costPathOf(window, [], 'customer')}">${endUsers.totalCount > endUsers.nodes.length ? 'All customers' : 'More about customers'}</a>`)}
</div>`;
}

function costTable(title: string, what: string, rows: readonly Html[], note: Content): Html {
  const id = title.toLowerCase().replaceAll(' ', '-');
  return html`
<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
  ${
    rows.length === 0
      ? html`<p class="muted">None in this period.</p>`
      : html`
  <div class="scroll" tabindex="0" role="group" aria-labelledby="${id}"><table class="fold">
    <thead><tr><th scope="col">${what}</th><th scope="col" class="number">Cost</th><th scope="col" class="number">Share</th><th scope="col" class="number">Events</th></tr></thead>
    <tbody>${rows}</tbody>
  </table></div>
  <p>${note}</p>`
  }
</section>`;
}

function costRow(name: Content, { totalCost, percentOfTotal, eventCount }: CostRow): Html {
  return html`<tr><th scope="row" class="name">${name}</th><td class="number" data-label="Cost">${exactAmount(totalCost)}</td><td class="number" data-label="Share">${formatPercent(percentOfTotal)}${shareBar(percentOfTotal)}</td><td class="number" data-label="Events">${formatCount(eventCount)}</td></tr>`;
}

/** A bar next to a number. Hidden from screen readers, since it repeats the number. */
export function shareBar(percent: number): Html {
  const width = Math.min(Math.max(percent, 0), 100);
  return html`<svg class="share" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="6"/><rect class="fill" width="${width}" height="6"/></svg>`;
}

/** Every customer with a loss, paying or not, the largest loss first. */
export function marginTable(margin: MarginFigures | null, error: string | null, window: WindowChoice): Html {
  const query = new URLSearchParams(windowParameters(window)).toString();
  const losing = margin?.endUsers;
  const lost = losing === undefined || losing.totalCount === 0 ? null : losing;
  return html`
<section class="panel" aria-labelledby="losing"><h2 id="losing">${lost === null ? 'Customers that lose money' : lossesTitle(lost)}</h2>
  ${margin === null ? html`<p class="muted">${error ?? 'Margins are temporarily unavailable.'}</p>` : lost === null ? html`<p class="muted">No customer lost money in this period.</p>` : marginRows(lost.nodes, window, { label: 'Customers that lose money', warnings: margin.warnings })}
  <p>${lost !== null && lost.totalCount > lost.nodes.length && html`<a href="/customers?${query}&amp;only=losing">All ${formatCount(lost.totalCount)} that lose money</a>, `}${margin?.endUserCount !== 0 && html`<a href="/customers?${query}">${lost === null ? 'All' : 'all'}${margin !== null && ` ${formatCount(margin.endUserCount)}`} customers</a>`}</p>
</section>`;
}

/** `20 customers lose money: −$59.36 in total`. */
export function lossesTitle({
  totalCount,
  totalRevenue,
  totalCost,
}: {
  readonly totalCount: number;
  readonly totalRevenue: string;
  readonly totalCost: string;
}): string {
  const what = totalCount === 1 ? '1 customer loses money' : `${formatCount(totalCount)} customers lose money`;
  return `${what}: ${marginText(totalRevenue, totalCost)}${totalCount === 1 ? '' : ' in total'}`;
}

/** A figure at the top of a page. */
export function headline(name: string, figure: Content, note: Content): Html {
  return html`<div class="panel headline"><h2>${name}</h2><p class="figure">${figure}</p><p class="muted">${note}</p></div>`;
}
