/** Pages through charges by day, provider, model, pricing context, class and unit. */
import type { OrganizationId } from '#kernel/ids.ts';
import { amount, plain } from '#kernel/money.ts';
import { checkFirst, connectionOfEdges, keysetCursor, type PageInput, parseKeyset } from '#kernel/page-cursor.ts';
import type { Window } from '#kernel/time/window.ts';
import { statement } from '#platform/database/statement.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { CHARGES_PER_PAGE_MAX } from '../config.ts';
import { UNASSIGNED } from '../measures/rollup-keys.ts';
import { checkSelection } from '../selections/check-selection.query.ts';
import { type ChargeDayRow, type ChargeKeyset, KEYSET_LENGTH, keysetOf, readChargeDays } from './charge-days.query.ts';
import { type ChargeInput, groupOf, parseChargeSelection } from './charge-selection.ts';

export type ChargePageInput = ChargeInput & PageInput;

const FIND_EXTERNAL_IDS = statement<
  { id: string; externalId: string },
  { readonly organizationId: OrganizationId; readonly ids: readonly string[] }
>('select id, external_id from end_user where organization_id = :organizationId and id = any(:ids::uuid[])');

/**
 * Fails with `NOT_FOUND` for an unknown end user, and with `UNPROCESSABLE_ENTITY` if charges of end users or agents
 * need too many facts.
 */
export async function listChargeDays(context: SubgraphContext, window: Window, input: ChargePageInput) {
  const organizationId = organizationOf(context);
  const { first, after } = input;
  checkFirst(first, CHARGES_PER_PAGE_MAX);
  const selection = parseChargeSelection(input);
  const group = groupOf(selection);
  const { page, externalIds } = await context.database.snapshot(organizationId, async (tx) => {
    await checkSelection(tx, organizationId, selection.costs);
    // Reads one row more than requested, to see if there is a next page.
    const read = await readChargeDays(tx, organizationId, window, selection, {
      after: parseAfter(after),
      limit: first + 1,
    });
    const ids = group?.isEndUser ? [...new Set(read.rows.map(({ party }) => party))] : [];
    const named = await tx.all(FIND_EXTERNAL_IDS, { organizationId, ids });
    return { page: read, externalIds: new Map(named.map(({ id, externalId }) => [id, externalId])) };
  });
  const edges = page.rows.slice(0, first).map((row) => {
    const externalId = group?.isEndUser ? externalIds.get(row.party) : undefined;
    const agentId = group !== null && !group.isEndUser && row.party !== UNASSIGNED ? row.party : undefined;
    return {
      cursor: keysetCursor(keysetOf(row)),
      node: {
        ...chargeDay(row),
        endUser: externalId === undefined ? null : { externalId },
        agent: agentId === undefined ? null : { agentId },
      },
    };
  });
  return {
    ...connectionOfEdges(edges, {
      hasNextPage: page.rows.length > first,
      hasPreviousPage: typeof after === 'string',
    }),
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

function parseAfter(after: string | null | undefined): ChargeKeyset | null {
  if (typeof after !== 'string') return null;
  const values = parseKeyset(after);
  if (values.length !== KEYSET_LENGTH) fail('VALIDATION_ERROR', 'after must be a cursor of this list');
  return values;
}
