/** Saves or removes an agreement about a discount in costing, with the caller's rights. */
import { plain } from '#kernel/money.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { fail } from '#kernel/errors.ts';
import { graphql, type VariablesOf } from '#schema/graphql.ts';
import type { AgreedDiscount } from './propose-fixes.ts';

const PROPOSE = graphql(`query ProposeAgreementOfBill($input: AgreementSaveInput!) {
  agreementProposal(input: $input) { difference }
}`);
const SAVE = graphql(`mutation SaveAgreementOfBill($input: AgreementSaveInput!) {
  agreementSave(input: $input) { agreement { id } userErrors { message code } }
}`);
const REMOVE = graphql(`mutation RemoveAgreementOfBill($id: ID!) {
  agreementRemove(input: { id: $id }) { removedId userErrors { message code } }
}`);

interface Agreed {
  readonly day: string;
  readonly discount: AgreedDiscount;
}

function agreementOf({ day, discount }: Agreed): VariablesOf<'SaveAgreementOfBill'>['input'] {
  const { provider, model, percent } = discount;
  const name = `${plain(percent)}% off ${model ?? 'everything'}, as billed from ${day}`;
  return {
    provider,
    name,
    from: day,
    discounts: [{ percent: plain(percent), ...(model === null ? {} : { models: [model] }) }],
  };
}

/** Returns the change in booked costs. Changes nothing. */
export async function previewDiscount(principal: Principal, gateway: GatewayClient, agreed: Agreed): Promise<string> {
  const { agreementProposal } = await askGateway(gateway, PROPOSE, { input: agreementOf(agreed) }, principal);
  return agreementProposal.difference;
}

/** Returns the id of the agreement. */
export async function agreeDiscount(principal: Principal, gateway: GatewayClient, agreed: Agreed): Promise<string> {
  const { agreementSave } = await askGateway(gateway, SAVE, { input: agreementOf(agreed) }, principal);
  return agreementSave.agreement?.id ?? fail('UNPROCESSABLE_ENTITY', 'The agreement was not saved');
}

/** Fails with `NOT_FOUND`. */
export async function removeDiscount(principal: Principal, gateway: GatewayClient, id: string): Promise<void> {
  await askGateway(gateway, REMOVE, { id }, principal);
}
