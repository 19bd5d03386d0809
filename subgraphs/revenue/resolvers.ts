/** Routes every field of the schema to its operation. */
import { amount } from '#kernel/money.ts';
import { parseWindow, type Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { keyOfGlobalId } from '#platform/subgraph/global-id.ts';
import { auditedOrganizationOf, readAuditLog } from '#platform/subgraph/read-audit-log.ts';
import { takeInput, withChangeAndUserErrors, withUserErrors } from '#platform/subgraph/user-errors.ts';
import { requireGrant } from '#platform/subgraph/require-grant.ts';
import { ownPasswordGuard } from '#platform/subgraph/own-password.ts';
import { deleteOrganizationData } from '#platform/subgraph/delete-organization-rows.ts';
import type { ResealPage } from '#platform/subgraph/reseal-values.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import type { AllocatedCostLines } from '#schema/allocated-cost-lines.ts';
import type { EndUserCostDays } from '#schema/end-user-cost-days.ts';
import type { EndUserCostLines } from '#schema/end-user-cost-lines.ts';
import { importFxRates } from './currencies/import-fx-rates.operation.ts';
import { listInvoiceRates } from './conversion/list-invoice-rates.operation.ts';
import { getReportingCurrency } from './currencies/get-reporting-currency.operation.ts';
import { setOrganizationCurrency } from './currencies/set-organization-currency.operation.ts';
import { compareInCurrency } from './margin/compare-in-currency.operation.ts';
import { listFxRates } from './currencies/list-fx-rates.operation.ts';
import { checkRevenueConnection } from './connection/check-revenue-connection.operation.ts';
import { compareAfterFixedCosts } from './margin/compare-after-fixed-costs.operation.ts';
import { compareCostAndRevenue } from './margin/compare-cost-and-revenue.operation.ts';
import { closeRevenue } from './records/close-revenue.operation.ts';
import { getRevenueClosing } from './records/get-revenue-closing.operation.ts';
import { reopenRevenue } from './records/reopen-revenue.operation.ts';
import { compareEndUserOverTime, type EndUserOverTimeCosts } from './margin/compare-end-user-over-time.operation.ts';
import { compareOverTime, type CostTrend } from './margin/compare-over-time.operation.ts';
import { connectRevenue } from './connection/connect-revenue.operation.ts';
import { disconnectRevenue } from './connection/disconnect-revenue.operation.ts';
import { eraseRevenueEndUser } from './erasure/erase-revenue-end-user.operation.ts';
import type { PageInput } from '#kernel/page-cursor.ts';
import { getEndUserName } from './customers/get-end-user-name.operation.ts';
import { listBillingCustomers } from './customers/list-billing-customers.operation.ts';
import { listBillingSubscriptions } from './customers/list-billing-subscriptions.operation.ts';
import { listSetAsideObjects } from './set-aside/list-set-aside-objects.operation.ts';
import { findSubscription } from './customers/find-subscription.operation.ts';
import { findSyncRun } from './sync/find-sync-run.operation.ts';
import { linkRevenueCustomer } from './customers/link-revenue-customer.operation.ts';
import { listMappingConflicts } from './customers/list-mapping-conflicts.operation.ts';
import { listSealedValues } from './connection/list-sealed-values.operation.ts';
import { countCustomers } from './customers/count-customers.operation.ts';
import { getRevenueCustomer } from './customers/get-revenue-customer.operation.ts';
import { countSetAsideObjects } from './set-aside/count-set-aside-objects.operation.ts';
import { listSyncRuns } from './sync/list-sync-runs.operation.ts';
import { getRevenueConnection } from './connection/get-revenue-connection.operation.ts';
import { type PlanSimulationInput, simulatePlan } from './margin/simulate-plan.operation.ts';
import { recognizeOverTime } from './recognition/recognize-over-time.operation.ts';
import { fillSample } from './sample/fill-sample.operation.ts';
import { resealValues } from './connection/reseal-values.operation.ts';
import { syncRevenue } from './sync/sync-revenue.operation.ts';
import { verifyRevenue } from './conversion/verify-revenue.operation.ts';
import type {
  FxRatesImportInput,
  OrganizationCurrencySetInput,
  QueryFxRatesArgs,
  QueryInvoiceRatesArgs,
  RevenueConnectInput,
  RevenueCloseInput,
  RevenueReopenInput,
  RevenueDataDeleteInput,
  RevenueDisconnectInput,
  RevenueEndUserEraseInput,
  RevenueCustomerLinkInput,
  RevenueSyncInput,
  RevenueCustomerUnlinkInput,
  QueryRevenueCustomerArgs,
  QueryRevenueSyncRunArgs,
  QueryBillingCustomersArgs,
  QueryBillingSubscriptionArgs,
  QueryBillingSubscriptionsArgs,
  WindowMarginArgs,
  WindowRecognizedRevenueArgs,
} from './resolvers.generated.ts';

/** Arguments are checked by the schema, results by the operations' types. */
export function resolvers({
  sealing,
  gateway,
  config,
}: Pick<SubgraphDependencies, 'sealing' | 'gateway' | 'config'>): object {
  const withOwnPassword = ownPasswordGuard(gateway);
  return {
    Query: {
      billingSubscription: (_: unknown, { subscriptionId }: QueryBillingSubscriptionArgs, context: SubgraphContext) =>
        findSubscription(context, subscriptionId),
      revenueConnection: (_: unknown, __: unknown, context: SubgraphContext) => getRevenueConnection(context),
      revenueSyncRun: (_: unknown, { id }: QueryRevenueSyncRunArgs, context: SubgraphContext) =>
        findSyncRun(context, id),
      billingCustomers: (_: unknown, query: Required<QueryBillingCustomersArgs>, context: SubgraphContext) =>
        listBillingCustomers(context, query),
      billingSubscriptions: (_: unknown, query: Required<QueryBillingSubscriptionsArgs>, context: SubgraphContext) =>
        listBillingSubscriptions(context, query),
      revenueCustomer: (_: unknown, { customerId }: QueryRevenueCustomerArgs, context: SubgraphContext) =>
        getRevenueCustomer(context, customerId),
      revenueMappingConflicts: (_: unknown, page: PageInput, context: SubgraphContext) =>
        listMappingConflicts(context, page),
      revenueClosing: (_: unknown, __: unknown, context: SubgraphContext) => getRevenueClosing(context),
      verifyRevenue: (_: unknown, __: unknown, context: SubgraphContext) => verifyRevenue(context),
      reportingCurrency: (_: unknown, __: unknown, context: SubgraphContext) => getReportingCurrency(context),
      invoiceRates: (_: unknown, query: QueryInvoiceRatesArgs & PageInput, context: SubgraphContext) =>
        listInvoiceRates(context, query),
      fxRates: (_: unknown, query: QueryFxRatesArgs & PageInput, context: SubgraphContext) =>
        listFxRates(context, query),
      revenueAuditLog: (_: unknown, page: PageInput, context: SubgraphContext) =>
        readAuditLog(context, auditedOrganizationOf(context), page),
      revenueSealedValues: (_: unknown, __: unknown, context: SubgraphContext) => listSealedValues(context, sealing),
    },
    Mutation: takeInput<object>({
      sampleRevenueFill: withChangeAndUserErrors(NO_SAMPLE, (_: unknown, __: object, context) => fillSample(context)),
      revenueConnect: withUserErrors('connection', (_: unknown, input: ConnectionInput, context) =>
        connectRevenue(context, { ...input, apiBase: input.apiBase ?? null }, sealing, config.stripeApiBase),
      ),
      revenueCheck: withUserErrors('connection', (_: unknown, __: object, context) =>
        checkRevenueConnection(context, sealing),
      ),
      revenueDisconnect: withUserErrors(
        'connection',
        withOwnPassword((_: unknown, { withdrawRecords }: RevenueDisconnectInput, context) =>
          disconnectRevenue(context, withdrawRecords ?? false),
        ),
      ),
      revenueSync: withUserErrors('run', (_: unknown, { waitSeconds, full }: Required<RevenueSyncInput>, context) =>
        syncRevenue(context, waitSeconds, full),
      ),
      revenueCustomerLink: withUserErrors('customer', (_: unknown, input: RevenueCustomerLinkInput, context) =>
        linkRevenueCustomer(context, input.customerId, input.endUserExternalId),
      ),
      revenueCustomerUnlink: withUserErrors(
        'customer',
        (_: unknown, { customerId }: RevenueCustomerUnlinkInput, context) =>
          linkRevenueCustomer(context, customerId, null),
      ),
      organizationCurrencySet: withUserErrors(
        'reportingCurrency',
        (_: unknown, input: OrganizationCurrencySetInput, context) => setOrganizationCurrency(context, input),
      ),
      fxRatesImport: withUserErrors('imported', (_: unknown, { file, source }: FxRatesImportInput, context) =>
        importFxRates(context, { file, source: source === 'OWN' ? 'own' : 'ecb' }),
      ),
      revenueEndUserErase: withUserErrors(
        'erasure',
        withOwnPassword((_: unknown, input: RevenueEndUserEraseInput, context) => eraseRevenueEndUser(context, input)),
      ),
      revenueClose: withUserErrors(
        'closing',
        withOwnPassword((_: unknown, { through }: RevenueCloseInput, context) => closeRevenue(context, through)),
      ),
      revenueReopen: withUserErrors(
        'closing',
        withOwnPassword((_: unknown, { from }: RevenueReopenInput, context) => reopenRevenue(context, from)),
      ),
      revenueDataDelete: withUserErrors(
        'deletedRows',
        (_: unknown, request: Required<RevenueDataDeleteInput>, context) => deleteOrganizationData(context, request),
      ),
      revenueValuesReseal: withUserErrors('step', (_: unknown, page: ResealPage, context) =>
        resealValues(context, sealing, page),
      ),
    }),
    RevenueCustomer: {
      __resolveReference: (reference: NodeReference<'customerId'>, context: SubgraphContext) => {
        requireGrant(context, ['operator', 'owner', 'admin']);
        return getRevenueCustomer(
          context,
          'id' in reference ? keyOfGlobalId(context, reference.id) : reference.customerId,
        );
      },
    },
    BillingSubscription: {
      __resolveReference: (reference: NodeReference<'subscriptionId'>, context: SubgraphContext) => {
        requireGrant(context, ['usage:read', 'revenue:read']);
        return findSubscription(
          context,
          'id' in reference ? keyOfGlobalId(context, reference.id) : reference.subscriptionId,
        );
      },
    },
    RevenueConnection: {
      runs: (_: unknown, page: PageInput, context: SubgraphContext) => listSyncRuns(context, page),
      customerCount: async (_: unknown, __: unknown, context: SubgraphContext) => (await countCustomers(context)).all,
      unmappedCustomerCount: async (_: unknown, __: unknown, context: SubgraphContext) =>
        (await countCustomers(context)).unmapped,
      setAsideCount: (_: unknown, __: unknown, context: SubgraphContext) => countSetAsideObjects(context),
      setAsideObjects: (_: unknown, page: PageInput, context: SubgraphContext) => listSetAsideObjects(context, page),
    },
    EndUser: {
      __resolveReference: (reference: { readonly externalId: string }) => reference,
      name: ({ externalId }: { readonly externalId: string }, _: unknown, context: SubgraphContext) =>
        getEndUserName(context, externalId),
    },
    EndUserOverTime: {
      __resolveReference: (reference: EndUserOverTimeCosts) => reference,
      margins: (view: EndUserOverTimeCosts, _: unknown, context: SubgraphContext) =>
        view.costLine && compareEndUserOverTime(context, view),
    },
    Window: {
      __resolveReference: (reference: WindowReference) => ({ ...reference, ...parseWindow(reference) }),
      margin: (window: WindowWithCosts, { throughEnd }: Required<WindowMarginArgs>, context: SubgraphContext) =>
        // If attribution failed, the costs are missing and the gateway reports its error.
        window.endUserCostLines &&
        compareCostAndRevenue(context, window, { costs: window.endUserCostLines, throughEnd }),
      marginAfterFixedCosts: (window: WindowWithCosts, _: unknown, context: SubgraphContext) =>
        window.endUserCostLines &&
        window.allocatedCostLines &&
        window.bookedShortfall &&
        window.adjustmentTotal &&
        compareAfterFixedCosts(context, window, {
          costs: window.endUserCostLines,
          allocated: window.allocatedCostLines,
          shortfallCost: amount(window.bookedShortfall),
          adjustmentCost: amount(window.adjustmentTotal),
        }),
      reportingMargin: (window: WindowWithCosts, _: unknown, context: SubgraphContext) =>
        window.endUserCostDays && compareInCurrency(context, window, window.endUserCostDays),
      simulatePlan: (window: WindowWithCosts, request: Omit<PlanSimulationInput, 'costs'>, context: SubgraphContext) =>
        window.endUserCostLines && simulatePlan(context, window, { ...request, costs: window.endUserCostLines }),
      marginTrend: (window: WindowWithCosts, _: unknown, context: SubgraphContext) =>
        window.trend && compareOverTime(context, window, window.trend),
      recognizedRevenue: (window: WindowWithCosts, { asOf }: WindowRecognizedRevenueArgs, context: SubgraphContext) =>
        recognizeOverTime(context, window, asOf ?? null),
    },
  };
}

const NO_SAMPLE = { customers: null, recordsCreated: null };

/** Defaults are filled in by the schema. */
type ConnectionInput = Omit<Required<RevenueConnectInput>, 'apiBase'> & Pick<RevenueConnectInput, 'apiBase'>;

/** Reference from the gateway. It contains the costs only if a margin is selected. */
interface WindowReference {
  readonly start: unknown;
  readonly end: unknown;
  readonly endUserCostLines: EndUserCostLines | null;
  readonly allocatedCostLines: AllocatedCostLines | null;
  readonly bookedShortfall: string | null;
  readonly adjustmentTotal: string | null;
  readonly endUserCostDays: EndUserCostDays | null;
  readonly trend: CostTrend | null;
}

type WindowWithCosts = Omit<WindowReference, keyof Window> & Window;

/** A reference by the global id of `Query.node`, or by the object's own key. */
type NodeReference<Key extends string> = { readonly id: string } | Readonly<Record<Key, string>>;
