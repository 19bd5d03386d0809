/** What was charged by day, provider, model, pricing context, class and unit, a page at a time. */
import { amount, plain } from '#kernel/money.ts';
import { keysetCursor, parseKeyset } from '#kernel/page-cursor.ts';
import type { Window } from '#kernel/time/window.ts';
import { statement } from '#platform/database/statement.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#schema/errors.ts';
import { CHARGES_PER_PAGE_MAX } from '../config.ts';
import { UNASSIGNED } from '../measures/rollup-keys.ts';
import { checkSelection } from '../selections/check-selection.query.ts';
import { type ChargeDayRow, type ChargePlace, PLACE_LENGTH, placeOf, readChargeDays } from './charge-days.query.ts';
import { type ChargeInput, groupOf, parseChargeSelection } from './charge-selection.ts';

export interface ChargePageInput extends ChargeInput {
  readonly first: number;
  readonly after?: string | null | undefined;
}

const LIST_CHARGE_DAYS = statement<
  { id: string; externalId: string },
  { readonly organizationId: string; readonly ids: readonly string[] }
>('select id, external_id from end_user where organization_id = :organizationId and id = any(:ids::uuid[])');

/**
 * Fails with `NOT_FOUND` for an unknown end user, and with `UNPROCESSABLE_ENTITY` if charges of end users or agents
 * need too many facts.
 */
export async function listChargeDays(context: SubgraphContext, window: Window, input: ChargePageInput) {
  const organizationId = organizationOf(context);
  const { first, after } = input;
  if (first < 1 || first > CHARGES_PER_PAGE_MAX)
    fail('VALIDATION_ERROR', `first must be from 1 to ${CHARGES_PER_PAGE_MAX}`);
  const selection = parseChargeSelection(input);
  const group = groupOf(selection);
  const { page, externalIds } = await context.database.snapshot(organizationId, async (tx) => {
    await checkSelection(tx, organizationId, selection.costs);
    // One more row shows that there is a next page.
    const read = await readChargeDays(tx, organizationId, window, selection, {
      after: parsePlace(after),
      limit: first + 1,
    });
    const ids = group?.isEndUser ? [...new Set(read.rows.map(({ party }) => party))] : [];
    const named = await tx.all(LIST_CHARGE_DAYS, { organizationId, ids });
    return { page: read, externalIds: new Map(named.map(({ id, externalId }) => [id, externalId])) };
  });
  const edges = page.rows.slice(0, first).map((row) => {
    const externalId = group?.isEndUser ? externalIds.get(row.party) : undefined;
    const agentId = group !== null && !group.isEndUser && row.party !== UNASSIGNED ? row.party : undefined;
    return {
      cursor: keysetCursor(placeOf(row)),
      node: {
        ...chargeDay(row),
        endUser: externalId === undefined ? null : { externalId },
        agent: agentId === undefined ? null : { agentId },
      },
    };
  });
  return {
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      hasNextPage: page.rows.length > first,
      hasPreviousPage: typeof after === 'string',
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: page.totalCount,
    totalAmount: amount(page.totalAmount),
    totalListAmount: amount(page.totalListAmount),
  };
}

function chargeDay({ day, provider, model, context, chargeClass, unit, ...row }: ChargeDayRow) {
  return {
    day,
    provider,
    model,
    context,
    chargeClass,
    unit,
    quantity: plain(amount(row.quantity)),
    listAmount: amount(row.listAmount),
    amount: amount(row.amount),
    corrections: amount(row.corrections),
    eventCount: Number(row.eventCount),
  };
}

function parsePlace(after: string | null | undefined): ChargePlace | null {
  if (typeof after !== 'string') return null;
  const values = parseKeyset(after);
  if (values.length !== PLACE_LENGTH) fail('VALIDATION_ERROR', 'after must be a cursor of this list');
  return values;
}
