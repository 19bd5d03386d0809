/** Calls every read endpoint for one window and compares the responses with the books, to the last digit. */
import { expect } from 'vitest';
import { get } from '../api-client.ts';
import { isoOf } from './book-instant.ts';
import { printAmount } from './exact-amount.ts';
import { type Books, rangeOf } from './keep-books.ts';
import {
  byKey,
  byModel,
  byProvider,
  endUserUuid,
  priced,
  quantityOf,
  type Window,
  totalOf,
  usageEvents,
  valueOf,
  values,
  within,
} from './plain-books.ts';
import { granularityOf, series, topSeries } from './plain-trend.ts';
import type { Random } from './seeded-random.ts';

const DAY = 86_400_000_000n;

export interface Registered {
  /** Registered keys, and some unregistered ones. */
  readonly dimensions: readonly string[];
  readonly others: readonly string[];
}

export async function checkReads(
  books: Books,
  window: Window,
  { dimensions, others }: Registered,
  random: Random,
): Promise<void> {
  const {
    firstRun: { live_read_key: key, organization_id: organization },
    url,
  } = books.service;
  const range = rangeOf(window);
  const read = async (path: string): Promise<unknown> => {
    const { status, body } = await get(url, path, key);
    expect(status, `${path} ${JSON.stringify(body)}`).toBe(200);
    return body;
  };
  const all = within(books.live(), window);
  const events = priced(all);
  const total = printAmount(totalOf(events));

  expect(await read(`/cost-data/by-model?${range}`)).toEqual(byModel(events));
  expect(await read(`/cost-data/by-provider?${range}`)).toEqual(byProvider(events));

  const agents = byKey(events, 'agent_id').map(({ name, figures }) => ({ attribution_value: name, ...figures }));
  expect(await read(`/attribution-data/by-agent?${range}`)).toEqual({
    items: agents,
    total_cost: total,
    total_groups: agents.length,
    truncated: false,
  });

  for (const dimension of [...dimensions, ...others]) {
    expect(await read(`/attribution-data/dimension-values?dimension=${dimension}&${range}`), dimension).toEqual({
      values: values(events, dimension),
    });
  }
  for (const dimension of dimensions) {
    const items = byKey(events, dimension).map(
      ({ name, figures: { total_cost, input_tokens, output_tokens, event_count, percent_of_total } }) => ({
        dimension_value: name,
        total_cost,
        input_tokens,
        output_tokens,
        event_count,
        percent_of_total,
      }),
    );
    expect(await read(`/dimension-data/cost-breakdown?dimension_key=${dimension}&${range}`)).toEqual({
      items,
      total_cost: total,
    });
  }

  const trend = (lines: unknown[]) => ({ series: lines, granularity: granularityOf(window) });
  const dimension = random.pick(dimensions);
  const value = events.length === 0 ? 'none' : valueOf(random.pick(events), dimension);
  const ofValue = trend([
    series(
      events.filter((event) => valueOf(event, dimension) === value),
      window,
      value,
    ),
  ]);
  const inUrl = `dimension_key=${dimension}&dimension_value=${encodeURIComponent(value)}`;
  expect(await read(`/cost-data/trend?${range}`)).toEqual(trend([series(events, window, 'total', 'Total')]));
  expect(await read(`/cost-data/trend?${range}&dimension_value=ignored`)).toEqual(
    trend([series(events, window, 'total', 'Total')]),
  );
  expect(await read(`/cost-data/trend?${range}&dimension_key=${dimension}`)).toEqual(
    trend(topSeries(events, window, dimension)),
  );
  expect(await read(`/cost-data/trend?${range}&${inUrl}`)).toEqual(ofValue);

  const users = [...new Set(books.live().flatMap(({ user }) => user ?? []))];
  for (const user of users.slice(0, 3)) {
    const id = endUserUuid(organization, user);
    const own = events.filter((event) => event.user === user);
    expect(await read(`/end-user-costs/${encodeURIComponent(user)}/by-model?${range}`)).toEqual({
      end_user_id: id,
      ...byModel(own),
    });
    expect(await read(`/cost-data/trend?${range}&end_user_id=${id}`)).toEqual(trend([series(own, window, id, user)]));
    expect(await read(`/cost-data/trend?${range}&end_user_id=${id}&${inUrl}`)).toEqual(ofValue);
  }

  const quantity = all.reduce((sum, event) => sum + quantityOf(event), 0);
  expect(await read(`/usage/summary?${range}`)).toEqual({
    user_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    period_start: isoOf(window.start),
    period_end: isoOf(window.end),
    total_events: all.length,
    metrics: all.length === 0 ? [] : [{ metric_name: 'tokens', total_quantity: quantity, event_count: all.length }],
  });
  if (window.end - window.start <= 90n * DAY) await checkPages(read, books, window, random);
}

/** Reads the list in pages of any size, and from arbitrary offsets. */
async function checkPages(
  read: (path: string) => Promise<unknown>,
  books: Books,
  window: Window,
  random: Random,
): Promise<void> {
  const expected = usageEvents(within(books.live(), window));
  const pageSize = Math.max(1, Math.ceil(expected.length / random.int(1, 4)));
  for (let offset = 0; offset <= expected.length; offset += pageSize) {
    const events = expected.slice(offset, offset + pageSize);
    expect(await read(`/usage/events?${rangeOf(window)}&limit=${pageSize}&offset=${offset}`)).toEqual({
      events,
      total: expected.length,
      limit: events.length,
      offset,
    });
  }
  const offset = random.int(0, expected.length + 2);
  const jump = expected.slice(offset, offset + 3);
  expect(await read(`/usage/events?${rangeOf(window)}&limit=3&offset=${offset}&metric_name=tokens`)).toEqual({
    events: jump,
    total: expected.length,
    limit: jump.length,
    offset,
  });
  expect(await read(`/usage/events?${rangeOf(window)}&metric_name=requests`)).toEqual({
    events: [],
    total: 0,
    limit: 0,
    offset: 0,
  });
}
