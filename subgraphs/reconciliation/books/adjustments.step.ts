/** Reads, books and reverts costs without a customer in costing. Writes have the caller's rights. */
import { type Money, money, plain } from '#kernel/money.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { KnownError } from '#kernel/errors.ts';
import { graphql, type VariablesOf } from '#schema/graphql.ts';
import type { ReadGraph } from './graph-reader.step.ts';

const ADJUSTMENTS = graphql(
  'query AdjustmentsOfBills($ids: [ID!]!) { costAdjustments(ids: $ids) { id amount isReverted } }',
);
const BOOK = graphql(`mutation BookAdjustmentOfBill($input: CostAdjustmentBookInput!) {
  costAdjustmentBook(input: $input) { costAdjustment { id } userErrors { message code } }
}`);
const REVERT = graphql(`mutation RevertAdjustmentOfBill($id: ID!) {
  costAdjustmentRevert(input: { id: $id }) { costAdjustment { id } userErrors { message code } }
}`);

const IDS_PER_READ = 1_000;

/** Amounts of the adjustments that are booked and not reverted, by id. */
export async function readAdjustments(read: ReadGraph, ids: readonly string[]): Promise<ReadonlyMap<string, Money>> {
  const found = new Map<string, Money>();
  for (let from = 0; from < ids.length; from += IDS_PER_READ) {
    const { costAdjustments } = await read(ADJUSTMENTS, { ids: ids.slice(from, from + IDS_PER_READ) });
    for (const { id, amount, isReverted } of costAdjustments) if (!isReverted) found.set(id, money(amount));
  }
  return found;
}

type Input = VariablesOf<'BookAdjustmentOfBill'>['input'];

/** Booking the same id again has no effect. */
export async function bookAdjustment(
  principal: Principal,
  gateway: GatewayClient,
  { amount, ...adjustment }: Omit<Input, 'amount'> & { readonly amount: Money },
): Promise<void> {
  await askGateway(gateway, BOOK, { input: { ...adjustment, amount: plain(amount) } }, principal);
}

/** An adjustment that does not exist or was reverted is left unchanged. */
export async function revertAdjustment(principal: Principal, gateway: GatewayClient, id: string): Promise<void> {
  await askGateway(gateway, REVERT, { id }, principal).catch((error: unknown) => {
    if (!(error instanceof KnownError && error.code === 'NOT_FOUND')) throw error;
  });
}
