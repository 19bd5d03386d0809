/**
 * Replacements that `/what-if` offers before anything is chosen: smaller siblings of a model, and models in use that
 * cost less per event.
 */
import { amount, type Amount, plain } from '#kernel/money.ts';
import { smallerSiblings } from '#kernel/smaller-siblings.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { graphql } from '#schema/graphql.ts';
import { exactAmount } from '../../figures/amount.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { html, type Html } from '../../shell/html.ts';
import { addressOf } from './what-if-heading.ts';

const PRICED = graphql('query WhatIfPriced($model: String!) { rateMatch(model: $model) { modelSlug } }');

const MODELS_MAX = 5;
const OFFERS_MAX = 3;

interface UsedModel {
  readonly modelSlug: string;
  readonly totalCost: string;
  readonly eventCount: number;
  readonly inputTokens: number;
}

/** The costliest models, each with links to its simulated replacements. */
export async function suggestions(
  gateway: GatewayClient,
  principal: Principal,
  models: readonly UsedModel[],
  query: URLSearchParams,
): Promise<Html | false> {
  // A model without tokens, such as one for speech, cannot replace another.
  const used = totals(models.filter(({ inputTokens }) => inputTokens > 0))
    .toSorted((one, other) => (one.cost > other.cost ? -1 : 1))
    .slice(0, MODELS_MAX);
  const isPriced = async (model: string) =>
    (await outcomeOf(askGateway(gateway, PRICED, { model }, principal), [])).value?.rateMatch != null;
  const rows = await Promise.all(
    used.map(async ({ modelSlug, cost, perEvent }) => {
      const siblings = smallerSiblings(modelSlug);
      const priced = await Promise.all(siblings.map(isPriced));
      const smaller = siblings.filter((_, index) => priced[index]);
      const others = used
        .filter((other) => other.perEvent < perEvent)
        .toSorted((one, other) => (one.perEvent < other.perEvent ? -1 : 1))
        .map((other) => other.modelSlug);
      return { modelSlug, cost, offers: [...new Set([...smaller, ...others])].slice(0, OFFERS_MAX) };
    }),
  );
  const offered = rows.filter(({ offers }) => offers.length > 0);
  return (
    offered.length > 0 &&
    html`
<section class="panel" aria-labelledby="suggestions"><h2 id="suggestions">Try another model</h2>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="suggestions"><table class="fold">
    <thead><tr><th scope="col">Model</th><th scope="col" class="number">Cost</th><th scope="col">Recalculate with</th></tr></thead>
    <tbody>${offered.map(
      ({ modelSlug, cost, offers }) => html`
    <tr><th scope="row" class="name">${modelSlug}</th><td class="number" data-label="Cost">${exactAmount(plain(cost))}</td>
      <td data-label="Recalculate with"><ul class="inline">${offers.map((by) => html`<li><a href="${addressOf('/what-if', query, { model: modelSlug, by })}">${by}<span class="unseen"> instead of ${modelSlug}</span></a></li>`)}</ul></td></tr>`,
    )}</tbody>
  </table></div>
</section>`
  );
}

/** Sums by model, across providers. */
function totals(models: readonly UsedModel[]): { modelSlug: string; cost: Amount; perEvent: Amount }[] {
  return [...new Set(models.map(({ modelSlug }) => modelSlug))].map((modelSlug) => {
    const own = models.filter((model) => model.modelSlug === modelSlug);
    const cost = own.reduce((sum, { totalCost }) => sum + amount(totalCost), 0n);
    const events = own.reduce((sum, { eventCount }) => sum + eventCount, 0);
    return { modelSlug, cost, perEvent: events === 0 ? 0n : cost / BigInt(events) };
  });
}
