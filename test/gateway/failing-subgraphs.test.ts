/**
 * If a subgraph sends any invalid response, only its own fields fail, each with an error at its path; all others keep
 * their data.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { graphql, post, settle } from '../support/api-client.ts';
import {
  each,
  endless,
  INVALID_ANSWERS,
  MIB,
  type MisbehavingSubgraph,
  misbehavingSubgraph,
  send,
  supergraphWith,
} from '../support/misbehaving-subgraph.ts';
import { leastStretch } from '../support/longest-stretch.ts';
import { type RunningService, runningService } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';

const DOCUMENT = `query ($costs: WindowLength = { days: 7 }) {
  notes
  endUser(externalId: "acme") { externalId score: healthScore manager { name } costs(last: $costs) { totalCost } }
}`;

let folder: string;
let joined: MisbehavingSubgraph;
let service: RunningService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'books-failing-'));
  joined = await misbehavingSubgraph(good);
  const file = join(folder, 'supergraph.graphql');
  writeFileSync(file, supergraphWith(joined.url));
  service = await runningService({ SUPERGRAPH_FILE: file });
  await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [
    usageEvent({ user_id: 'acme', cost_override: '2.5' }),
  ]);
  await settle(service.url, service.firstRun.operator_token);
});
beforeEach(() => {
  joined.answer = good;
});
afterAll(async () => {
  await service.stop();
  await joined.close();
  rmSync(folder, { recursive: true });
});

const ask = (document = DOCUMENT) => graphql(service.url, service.firstRun.live_read_key, document);

const NOTES = { data: { notes: ['call'] } };
const ENTITY = { __typename: 'EndUser', healthScore: 7, score: 7, manager: { name: 'Ada' } };
const good = each({ data: { _entities: [ENTITY] } }, NOTES);
const entity = (value: unknown) => each({ data: { _entities: [value] } }, NOTES);

const OWN = { externalId: 'acme', costs: { totalCost: '2.5' } };
const ALL = ['endUser.manager', 'endUser.score', 'notes'];
const ENTITY_FIELDS = ['endUser.manager', 'endUser.score'];

async function outcome() {
  const { status, body } = await ask();
  const { errors = [], data } = body as { errors?: any[]; data: any };
  expect(data?.endUser).toMatchObject(OWN);
  for (const { path, extensions } of errors) {
    expect(path).toBeInstanceOf(Array);
    expect(extensions.correlationId).not.toBe('');
  }
  expect('extensions' in body).toBe(false);
  return {
    status,
    fields: { notes: data.notes, score: data.endUser.score, manager: data.endUser.manager },
    paths: [...new Set(errors.map(({ path }) => path.join('.')))].sort(),
    codes: [...new Set(errors.map(({ extensions }) => extensions.code))],
  };
}

it('a subgraph that responds correctly is served', async () => {
  expect(await outcome()).toEqual({
    status: 200,
    fields: { notes: ['call'], score: 7, manager: { name: 'Ada' } },
    paths: [],
    codes: [],
  });
});

describe('an invalid response fails the fields of its subgraph, each at its path', () => {
  it.each(INVALID_ANSWERS)('%s', async (_name, listener) => {
    joined.answer = listener;
    expect(await outcome()).toEqual({
      status: 200,
      fields: { notes: null, score: null, manager: null },
      paths: ALL,
      codes: ['SERVICE_UNAVAILABLE'],
    });
  });

  it('an endless response, of which at most 64 MiB are read', async () => {
    const counted = { bytes: 0 };
    joined.answer = endless(counted);
    expect(await outcome()).toMatchObject({ status: 200, paths: ALL, codes: ['SERVICE_UNAVAILABLE'] });
    // Two requests, and the data in transit in buffers.
    expect(counted.bytes).toBeLessThan(2 * (64 + 32) * MIB);
  });
});

it('a text of 9 MiB, more than a request may contain, is returned whole', async () => {
  const text = 'x'.repeat(9 * MIB);
  joined.answer = each({ data: { _entities: [ENTITY] } }, { data: { notes: [text] } });
  const { body } = await ask();
  expect([body.errors, body.data.notes[0] === text]).toEqual([undefined, true]);
});

describe('a response of the smallest values delays no other request', () => {
  const filled = (value: string, bytes: number) => `${`${value},`.repeat(bytes / (value.length + 1))}${value}`;

  it.each<[string, (bytes: number) => string]>([
    ['data', (bytes) => `{"data":{"notes":[${filled('{}', bytes)}]}}`],
    ['entities', (bytes) => `{"data":{"_entities":[${filled('{}', bytes)}]}}`],
    ['errors', (bytes) => `{"data":null,"errors":[${filled('{}', bytes)}]}`],
    ['extensions', (bytes) => `{"data":null,"extensions":[${filled('0', bytes)}]}`],
  ])('%s', async (_name, make) => {
    for (const bytes of [15 * MIB, 2 * MIB]) {
      const body = Buffer.from(make(bytes));
      joined.answer = (_request, response) => void response.setHeader('content-type', 'application/json').end(body);
      const respond = async () => {
        expect(await outcome()).toMatchObject({ status: 200, paths: ALL, codes: ['SERVICE_UNAVAILABLE'] });
      };
      expect(await leastStretch(respond, 100)).toBeLessThanOrEqual(100);
    }
  });
});

describe('an entity response that does not match the request', () => {
  it.each<[string, unknown]>([
    ['_entities: null', { data: { _entities: null } }],
    ['too few entities', { data: { _entities: [] } }],
    ['too many entities', { data: { _entities: [ENTITY, ENTITY] } }],
    ['an object', { data: { _entities: { 0: ENTITY } } }],
    ['something else', { data: { others: [] } }],
  ])('fails all fields of the subgraph: %s', async (_name, entities) => {
    joined.answer = each(entities, NOTES);
    expect(await outcome()).toEqual({
      status: 200,
      fields: { notes: ['call'], score: null, manager: null },
      paths: ENTITY_FIELDS,
      codes: ['SERVICE_UNAVAILABLE'],
    });
  });

  it.each([
    ['an entity that is a text', 'acme', { score: null, manager: null }, ENTITY_FIELDS],
    ['an entity without fields', {}, { score: null, manager: null }, ENTITY_FIELDS],
    ['a missing field', { ...ENTITY, manager: undefined }, { score: 7, manager: null }, ['endUser.manager']],
    ['a text for a number', { ...ENTITY, score: 'high' }, { score: null, manager: { name: 'Ada' } }, ['endUser.score']],
    ['a list for a number', { ...ENTITY, score: [7] }, { score: null, manager: { name: 'Ada' } }, ['endUser.score']],
    ['a text for an object', { ...ENTITY, manager: 'Ada' }, { score: 7, manager: null }, ['endUser.manager']],
    [
      'null where it may not be',
      { ...ENTITY, manager: { name: null } },
      { score: 7, manager: null },
      ['endUser.manager.name'],
    ],
    ['two of these at once', { score: 'high', manager: [] }, { score: null, manager: null }, ENTITY_FIELDS],
  ])('fails only the affected fields: %s', async (_name, value, fields, paths) => {
    joined.answer = entity(value);
    expect(await outcome()).toEqual({
      status: 200,
      fields: { notes: ['call'], ...fields },
      paths,
      codes: ['INTERNAL_SERVER_ERROR'],
    });
  });

  it('null in a nullable field is not an error, nor is an entity that the subgraph does not know', async () => {
    const none = { status: 200, fields: { notes: ['call'], score: null, manager: null }, paths: [], codes: [] };
    joined.answer = entity({ ...ENTITY, score: null, manager: null });
    expect(await outcome()).toEqual(none);
    joined.answer = entity(null);
    expect(await outcome()).toEqual(none);
  });
});

describe('errors', () => {
  it.each<[string, unknown[]]>([
    ['without extensions', [{ message: 'boom' }]],
    ['that are malformed', [null, 'boom', 7, { message: 7, path: 'notes', extensions: [] }]],
    ['with a path and no extensions', [{ message: 'boom', path: ['_entities', 0] }]],
    [
      'with extensions that are not text',
      [{ message: 'boom', extensions: { code: {}, serviceName: { toString: null } } }],
    ],
    ['with a code that cannot become one', [{ message: 'boom', extensions: { code: { toString: null } } }]],
  ])('%s belong to the fields that are null', async (_name, errors) => {
    joined.answer = each({ data: { _entities: [null] }, errors }, NOTES);
    expect(await outcome()).toEqual({
      status: 200,
      fields: { notes: ['call'], score: null, manager: null },
      paths: ENTITY_FIELDS,
      codes: ['INTERNAL_SERVER_ERROR'],
    });
  });

  it('errors with a code and a path keep both', async () => {
    const errors = [{ message: 'No manager', path: ['_entities', 0, 'manager'], extensions: { code: 'NOT_FOUND' } }];
    joined.answer = each({ data: { _entities: [{ ...ENTITY, manager: null }] }, errors }, NOTES);
    expect(await outcome()).toEqual({
      status: 200,
      fields: { notes: ['call'], score: 7, manager: null },
      paths: ['endUser.manager'],
      codes: ['NOT_FOUND'],
    });
  });

  it('errors of a request refused with a 4xx status are reported', async () => {
    joined.answer = send('{"errors":[{"message":"Not yours","extensions":{"code":"FORBIDDEN"}}]}', 403);
    expect(await outcome()).toMatchObject({ status: 200, paths: ALL, codes: ['FORBIDDEN'] });
  });
});

it('at most 64 MiB are sent to a client, over all subgraphs together', async () => {
  joined.answer = each(
    { data: { _entities: [{ ...ENTITY, manager: { name: 'x'.repeat(40 * MIB) } }] } },
    { data: { notes: ['x'.repeat(40 * MIB)] } },
  );
  const { status, body } = await ask();
  expect([status, body.errors[0].extensions.code]).toEqual([422, 'UNPROCESSABLE_ENTITY']);
});

it('a subgraph that has recovered is served again', async () => {
  joined.answer = send('{"message":"boom"}', 500);
  await ask();
  joined.answer = good;
  expect((await outcome()).paths).toEqual([]);
});
