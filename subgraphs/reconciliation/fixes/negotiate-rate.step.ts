/** Sets or ends a rate in costing from a day on, with the caller's rights. */
import { plain } from '#kernel/money.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { graphql } from '#schema/graphql.ts';
import { fail } from '#kernel/errors.ts';
import { readerOf } from '../books/graph-reader.step.ts';
import { readKnownPrices } from '../books/known-prices.step.ts';
import { appliesOn } from '../comparison/known-prices.ts';
import type { ComparedDay } from '../days/compare-days.step.ts';
import { MILLION } from '../lines/decimals.ts';
import type { ProposedFix } from './propose-fixes.ts';
import { startOf } from './reprice.step.ts';

const SET = graphql(`mutation SetRateOfBill($input: RateSetInput!) {
  rateSet(input: $input) { rate { rateCardId } userErrors { message code } }
}`);
const END = graphql(`mutation EndRateOfBill($input: RateEndInput!) {
  rateEnd(input: $input) { userErrors { message code } }
}`);

/** Contexts that can be set by hand. Others, such as every tier of a provider, apply to all rate cards. */
const NEGOTIABLE = /^[a-z]+=[a-z0-9_.-]+(?:,[a-z]+=[a-z0-9_.-]+)*$/;

/** Returns the id of the rate card. Other token classes and contexts keep their prices of that day. */
export async function negotiateRate(
  { principal, ...context }: SubgraphContext,
  gateway: GatewayClient,
  { day, model, proposal }: { readonly day: ComparedDay; readonly model: string; readonly proposal: ProposedFix },
): Promise<string> {
  const organizationId = organizationOf({ ...context, principal });
  const provider = providerOf(day, model);
  const onDay = (await readKnownPrices(readerOf(gateway, organizationId), provider, [model])).filter((price) =>
    appliesOn(price, day.day),
  );
  const negotiated = onDay.filter(({ isNegotiated }) => isNegotiated);
  const known = negotiated.length > 0 ? negotiated : onDay;
  const base = Object.fromEntries(
    known
      .filter(({ context: priceContext }) => priceContext === '')
      .map(({ tokenClass, perToken }) => [tokenClass, plain(perToken.times(MILLION))]),
  );
  const contexts = known
    .filter(({ context: priceContext }) => NEGOTIABLE.test(priceContext) && !priceContext.startsWith('size='))
    .map(({ context: priceContext, tokenClass, perToken }) => ({
      context: priceContext,
      class: tokenClass,
      rate: plain(perToken.times(MILLION)),
    }));
  const input = {
    model,
    provider,
    ...base,
    [proposal.tokenClass!]: plain(proposal.price!.toDecimalPlaces(9)),
    contexts,
    effectiveFrom: startOf(day.day),
  };
  const { rateSet } = await askGateway(gateway, SET, { input }, principal);
  return rateSet.rate?.rateCardId ?? fail('UNPROCESSABLE_ENTITY', 'The rate was not set');
}

/** Ends the rate as of its start. Fails with `NOT_FOUND`. */
export async function endRate(
  principal: Principal,
  gateway: GatewayClient,
  { rateCardId, day }: { readonly rateCardId: string; readonly day: string },
): Promise<void> {
  await askGateway(gateway, END, { input: { rateCardId, at: startOf(day) } }, principal);
}

function providerOf({ providers }: ComparedDay, model: string): string {
  return providers.get(model) ?? fail('UNPROCESSABLE_ENTITY', 'model: the books have no charges for it on this day');
}
