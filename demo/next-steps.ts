/** Prints what to look at next: the pages of this service, and curl commands that work unchanged. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { graphql } from '#schema/graphql.ts';
import { UNPRICED_MODEL } from '../sample/features.ts';
import { UNMAPPED_CUSTOMER } from '../sample/contracts.ts';
import { customerId } from '../sample/customer-id.ts';

const MARGINS = graphql(
  'query Margins($start: Instant!, $end: Instant!) { window(start: $start, end: $end) { margin { total { totalRevenue totalCost marginPercent unattributedRevenue } endUsers(first: 5) { nodes { endUserName revenue cost marginAmount profitability } } } marginTrend { dataPoints { date revenue cost marginPercent } } } }',
);
const SESSION = graphql(
  'query Session($sessionId: String!) { session(sessionId: $sessionId) { totalCost roots { spanId totalCost children { spanId modelSlugs ownCost } } } }',
);

export interface Place {
  readonly api: string;
  readonly file: string;
  readonly organizationId: string;
  /**
   * Empty if an earlier run with another data directory created the organization: only the file of that run contains
   * it.
   */
  readonly ownerEmail: string;
  /** The 90 days, YYYY-MM-DD. */
  readonly start: string;
  /** Exclusive. */
  readonly end: string;
  readonly sessionId: string;
  readonly endUserId: string;
}

export async function nextSteps(place: Place): Promise<string> {
  const listed = [
    ['/', `the dashboard; ${signIn(place)}`],
    ['/alerts', 'problems, within minutes: a day of retries, customers who cost more than they pay, a budget'],
    ['/margins', 'margins by customer in euros and US dollars, with Stripe’s fees and exchange differences'],
    ['/outcomes', 'what a resolved ticket and a written report cost, failed attempts included'],
    ['/costs/fixed', 'what is paid whether it is used or not, and the share of each customer'],
    ['/rates/agreements', 'discounts, commitments, credits and prepayments, and when they end'],
    ['/allowances', 'how much customers and agents may still spend'],
    ['/docs', 'the API reference'],
    ['/graphql', 'GraphiQL'],
  ] as const;
  const pages = await Promise.all(
    listed.map(async ([path, what]) =>
      (await isPage(`${place.api}${path}`)) ? [`  ${place.api}${path}  ${what}`] : [],
    ),
  );
  return `Pages

${pages.flat().join('\n')}

Read (each key may read 100 times in 15 minutes)

${reads(place)}

Send your own event

${ingestion()}

Set a price for ${UNPRICED_MODEL.model}: its waiting events are then priced automatically

  npm run -s admin -- rate set --model northwind-triage --provider ${UNPRICED_MODEL.provider} --organization ${place.organizationId} --input 0.2 --output 0.4
  npm run -s admin -- settle && npm run -s admin -- verify --organization ${place.organizationId}

Link the unknown customer to an end user: past revenue is included, and the margin changes at once

  npm run -s admin -- revenue link --organization ${place.organizationId} --customer ${customerId(UNMAPPED_CUSTOMER)} --end-user nimbus-hosting

Read the margin in euros at ${place.api}/margins: it contains the invoices in euros. If its exchange rates are made up, replace them with those of the European Central Bank

  curl -sO https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip && unzip -o eurofxref-hist.zip && npm run -s admin -- fx import eurofxref-hist.csv
`;
}

function signIn({ ownerEmail, file }: Place): string {
  return ownerEmail === ''
    ? 'the password of its owner is in the data directory of the run that created the organization'
    : `sign in as ${ownerEmail} with OWNER_PASSWORD of ${file}`;
}

async function isPage(url: string): Promise<boolean> {
  const response = await fetch(url, { headers: { accept: 'text/html' } }).catch(() => null);
  return response?.ok === true;
}

function reads({ file, start, end, sessionId, endUserId }: Place): string {
  const range = `start_date=${start}&end_date=${end}`;
  const paths = [
    `margin-data/by-end-user?${range}`,
    'cost-data/summary?time_window=last-90-days',
    `cost-data/by-model?${range}`,
    `cost-data/trend?${range}&dimension_key=plan`,
    `attribution-data/by-agent?${range}`,
    `dimension-data/cost-breakdown?dimension_key=team&${range}`,
    `end-user-costs/${endUserId}/by-model?${range}`,
    `usage/events?start_date=${weekBefore(end)}&end_date=${end}&limit=3`,
    'rate-cards/estimation-table',
  ];
  const queries = [
    { query: MARGINS, variables: { start: `${start}T00:00:00Z`, end: `${end}T00:00:00Z` } },
    { query: SESSION, variables: { sessionId } },
  ];
  return [
    `  . ${file}`,
    ...paths.map((path) => `  curl -sw '\\n' -H "Authorization: Bearer $READ_KEY" "$API/v1/${path}"`),
    ...queries.map(
      (body) =>
        `  curl -sw '\\n' -H "Authorization: Bearer $READ_KEY" -H 'Content-Type: application/json' "$API/graphql" -d '${JSON.stringify(body)}'`,
    ),
  ].join('\n');
}

function weekBefore(date: string): string {
  return new Date(Date.parse(date) - 7 * DAY_MS).toISOString().slice(0, 10);
}

function ingestion(): string {
  return String.raw`  TIME=$(date +%s)
  BODY='{"idempotency_key":"try-'$TIME'","model":"gpt-4o-mini","provider":"openai","input_tokens":1200,"output_tokens":300,"user_id":"atlas-logistics","event_invoked_at":"'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"}'
  SIGNATURE=$(printf '%s' "$TIME.$BODY" | openssl dgst -sha256 -hmac "$INGEST_KEY" | sed 's/^.* //')
  curl -sw '\n' "$API/v1/usage-events" -H "Authorization: Bearer $INGEST_KEY" -H "X-Timestamp: $TIME" -H "X-Signature: v1=$SIGNATURE" -H 'Content-Type: application/json' -d "$BODY"`;
}
