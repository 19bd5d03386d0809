/** Twelve questions of a founder, each as one GraphQL document. */
export const FOUNDER_DOCUMENTS = {
  LosingCustomers: `query LosingCustomers($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { margin {
    endUsers(filter: { only: PAYING }) {
      nodes { endUserName revenue cost marginAmount profitability } totalRevenue totalCost marginAmount
    }
  } } }`,
  LosingSince: `query LosingSince($externalId: String!) { endUser(externalId: $externalId) {
    overTime(last: { days: 60 }, granularity: DAY) { margins { start revenue cost marginAmount } }
  } }`,
  LosingBecauseOf: `query LosingBecauseOf($start: Instant!, $end: Instant!, $endUser: String!) {
    window(start: $start, end: $end) {
      agents: costs(filter: { endUser: $endUser }, groupBy: [AGENT]) { nodes { values { value } totalCost } totalCost }
      features: costs(filter: { endUser: $endUser }, groupBy: [FEATURE]) { nodes { values { value } totalCost } totalCost }
      models: costs(filter: { endUser: $endUser }, groupBy: [MODEL]) { nodes { values { value } totalCost } totalCost }
    }
  }`,
  Changed: `query Changed($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
    costs { totalCost }
    costChange(against: { period: PREVIOUS }) {
      total { previousCost cost difference } parts { calls mix size price corrections } groups { change { difference } } rest { difference }
    }
  } }`,
  Month: `query Month {
    costForecast { booked range { low expected high } reason } window(named: CURRENT_PERIOD) { costs { totalCost } }
  }`,
  CheaperModel: `query CheaperModel($start: Instant!, $end: Instant!, $changes: [SimulatedChange!]!) {
    window(start: $start, end: $end) { costs { totalCost } simulateCosts(changes: $changes) {
      total { before after { expected } difference { expected } } unassigned { before after { expected } }
      endUsers { nodes { endUser { externalId } before after { expected } difference { expected } } } notCovered { reason }
    } }
  }`,
  BreakEven: `query BreakEven($start: Instant!, $end: Instant!, $plan: SimulatedPlan!) { window(start: $start, end: $end) {
    margin { total { totalRevenue } }
    simulatePlan(plan: $plan) {
      breakEven { total everyone } becameUnprofitable total { cost revenueAfter marginAfter }
      customers { nodes { name breakEvenFlat figures { cost } } }
    }
  } }`,
  Unpriced: `query Unpriced($start: Instant!, $end: Instant!, $rate: RateSetInput!) {
    window(start: $start, end: $end) { events(filter: { status: PENDING_RATE_CARD }) {
      nodes { modelSent reason endUser { externalId } inputTokens }
    } }
    rateProposal(input: $rate) { events settledEvents totalCost isComplete }
  }`,
  CostliestEvent: `query CostliestEvent($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
    events(orderBy: COST, first: 1) { nodes {
      totalCost endUser { externalId } agentId apiKey { id } session { sessionId totalCost }
      explanation { totalCost entries { totalCost modelSlug matchRule rateCard { id } lines { class quantity rate cost } } }
    } }
  } }`,
  KeysAndSessions: `query KeysAndSessions($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
    costs(groupBy: [SESSION]) { nodes { values { key value } totalCost } totalCost }
    costsByApiKey { nodes { apiKey { id } totalCost } totalCost }
  } }`,
  Unmatched: `query Unmatched($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { margin {
    unmatchedCustomers { nodes { name revenue } totalRevenue } total { totalRevenue totalCost unattributedCost }
    endUsers(filter: { only: UNMATCHED }) { nodes { endUserName cost } } all: endUsers { totalRevenue totalCost }
  } } }`,
  Ledger: `query Ledger($start: Instant!, $end: Instant!) { window(start: $start, end: $end) {
    ledgerCost ledgerCosts { totalCost eventCount models { modelSlug totalCost } } costs { totalCost }
    ledgerCostsByEndUser { items { externalId totalCost } unassigned { totalCost } totalCost }
  } }`,
};
