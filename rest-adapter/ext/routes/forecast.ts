import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { text } from '../../json-schema.ts';
import type { ExtRoute } from '../ext-route.ts';
import { membersOf, textOf } from '../read-body.ts';

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
  end_user: text('Of this end user alone: its `user_id`.'),
  agent: text('Of this `agent_id` alone.'),
  model: text('Of this model alone: its slug.'),
  provider: text('Of this provider alone: its slug.'),
};

/** `POST /ext/v1/forecast`: forecast cost of the month. */
export const forecast: ExtRoute = {
  url: '/forecast',
  operationId: 'forecastCosts',
  tool: 'get_forecast',
  tag: 'Cost data',
  summary: 'What the month will cost',
  description:
    'Costs of the UTC month so far, and of all of it by a forecast of the hours to come, with a range in which nine of ten forecasts of the past came true. Without a forecast, and with the reason, where there are fewer than 21 days to look back on.',
  scope: 'costs:read',
  spends: 'read',
  errors: ['NOT_FOUND', 'UNPROCESSABLE_ENTITY'],
  body: { type: 'object', properties: FILTER, additionalProperties: false },
  manyMax: null,
  document: DOCUMENT,
  at: ['costForecast'],
  answer: async (body, { gateway, principal }) => {
    const members = membersOf(body, 'The request body', Object.keys(FILTER));
    const filter = {
      endUser: textOf(members, 'end_user'),
      agent: textOf(members, 'agent'),
      model: textOf(members, 'model'),
      provider: textOf(members, 'provider'),
    };
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
};
