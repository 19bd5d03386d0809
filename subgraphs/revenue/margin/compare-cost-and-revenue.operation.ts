/** `Window.margin`: revenue and cost of a window. */
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { mapInSlices, sortInSlices } from '#platform/slices.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Window } from '#kernel/time/window.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import { recordsInOtherCurrencies } from './margin-sums.query.ts';
import { isConnected } from '../connection/payment-connection.table.ts';
import { setAsideByKind } from '../set-aside/set-aside-object.table.ts';
import { byMargin } from './compare-margin.ts';
import { compareWindow } from './compare-window.step.ts';
import { uncountedAmounts } from './uncounted-amounts.query.ts';
import { marginWarnings } from './margin-warnings.ts';
import { pageOfEndUsers, pageOfUnmatched } from './margin-page.step.ts';
import { toEndUserRow, toEndUserView, type MarginView, toMarginView } from './margin-view.ts';

/** Fails with `UNPROCESSABLE_ENTITY` for more than 12 calendar months (decision 9, D45) or too many customers. */
export async function compareCostAndRevenue(
  context: SubgraphContext,
  window: Window,
  { costs, throughEnd }: { readonly costs: EndUserCostLines; readonly throughEnd: boolean },
): Promise<MarginView> {
  const organizationId = organizationOf(context);
  const { margin, more } = await compareWindow(context, window, {
    costs,
    throughEnd,
    readMore: async (tx, compared) => ({
      // Sample data has revenue without a connected account.
      isConnected: context.principal.sampleOf !== undefined || (await isConnected(tx, organizationId)),
      otherCurrencies: await recordsInOtherCurrencies(tx, organizationId, compared),
      setAside: await setAsideByKind(tx, organizationId),
      uncounted: await uncountedAmounts(tx, organizationId, compared, 'usd'),
      comparedUntil: compared === window ? null : compared.end,
    }),
  });
  return toMarginView(margin, marginWarnings(margin, more), {
    endUsers: (selection) => pageOfEndUsers(margin.endUsers, selection, toEndUserView),
    unmatchedCustomers: (page) => pageOfUnmatched(margin.unmatched, page),
    endUserList: async () => mapInSlices(await sortInSlices(margin.endUsers, byMargin), toEndUserRow),
  });
}
