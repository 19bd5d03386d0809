import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { extRoute } from '../ext-route.ts';
import { object, text } from '../body.ts';

const DOCUMENT = graphql(`query ForecastCosts($filter: CostFilter) {
  costForecast(filter: $filter) {
    start
    end
    booked
    range { low expected high }
    reason
    history_hours: historyHours
    past_forecasts: pastForecasts
  }
}`);

const FILTER = {
  end_user: text('Only this end user: its `user_id`.'),
  agent: text('Only this `agent_id`.'),
  model: text('Only this model: its slug.'),
  provider: text('Only this provider: its slug.'),
};

/** `POST /ext/v1/forecast`: forecast cost of the month. */
export const forecast = extRoute({
  url: '/forecast',
  operationId: 'forecastCosts',
  tool: 'get_forecast',
  tag: 'Cost data',
  summary: 'Forecast cost of the month',
  description:
    'Costs of the UTC month so far, and a forecast for the whole month with a 90% range based on past forecasts. With fewer than 21 days of history there is no forecast, and `reason` says why.',
  scope: 'costs:read',
  spends: 'read',
  errors: ['NOT_FOUND', 'UNPROCESSABLE_ENTITY'],
  body: object(FILTER),
  document: DOCUMENT,
  at: ['costForecast'],
  answer: async ({ end_user: endUser, ...others }, { gateway, principal }) => {
    const filter = { endUser, ...others };
    return (await askGateway(gateway, DOCUMENT, { filter }, principal)).costForecast;
  },
  example: {
    body: {},
    response: {
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-02-01T00:00:00.000Z',
      booked: '1204.1',
      range: { low: '2310.5', expected: '2480.25', high: '2702.75' },
      reason: null,
      history_hours: 2160,
      past_forecasts: 40,
    },
  },
});
