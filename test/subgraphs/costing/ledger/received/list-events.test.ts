/**
 * Events as a connection: every filter and order compared with a plain list of the sent events, pages without gaps, and
 * one event with its reasons.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseWindow } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { makeSubgraph, type SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import { parseEventFilter } from '../../../../../subgraphs/costing/ledger/received/event-filter.ts';
import {
  type EventCursor,
  findEvents,
  type FoundEvents,
} from '../../../../../subgraphs/costing/ledger/received/selected-events.query.ts';
import { costing } from '../../../../../subgraphs/costing/main.ts';
import { type Costing, event, log, startCosting } from '../../costing-builder.ts';

const DAY = Date.parse('2026-03-10T00:00:00Z');
const WINDOW = 'window(start: "2026-03-10", end: "2026-03-11")';
const KEYS = [randomUUID(), randomUUID()] as const;

interface Sent {
  readonly id: string;
  readonly at: number;
  readonly cost: number;
  readonly model: string;
  readonly agent: string | undefined;
  readonly session: string | undefined;
  readonly team: string | undefined;
  readonly endUser: string | undefined;
  readonly key: string;
  readonly isPriced: boolean;
}

let world: Costing;
let sent: readonly Sent[];
let graph: ReturnType<typeof inProcessSubgraph>;
beforeAll(async () => {
  world = await startCosting();
  graph = inProcessSubgraph(
    makeSubgraph(costing, {
      database: world.database,
      log: process.env['LOUD'] ? (await import('pino')).pino() : log,
    } as SubgraphDependencies),
  );
  const drafts = Array.from({ length: 120 }, (_, index) => ({
    // Several events share an instant, and several share a cost.
    at: DAY + Math.floor(index / 3) * 60_000,
    cost: (index * 7) % 40,
    model: `model-${index % 4}`,
    agent: index % 5 === 0 ? undefined : `agent-${index % 3}`,
    session: index % 6 === 0 ? 'session-1' : undefined,
    team: index % 2 === 0 ? 'red' : undefined,
    endUser: index % 7 === 0 ? undefined : `user-${index % 4}`,
    key: KEYS[index % 2] ?? '',
    isPriced: index % 11 !== 0,
  }));
  const ids: string[] = [];
  for (const [index, draft] of drafts.entries()) {
    const [id = ''] = await world.send(
      [
        event(`list-${index}`, {
          model: draft.model,
          event_invoked_at: new Date(draft.at).toISOString(),
          agent_id: draft.agent,
          session_id: draft.session,
          user_id: draft.endUser,
          metadata: draft.team === undefined ? {} : { team: draft.team, attempt: 2 },
          ...(draft.isPriced ? { cost_override: String(draft.cost / 1000) } : { cost_override: undefined }),
        }),
      ],
      as(world.live, ['usage:write'], draft.key),
    );
    ids.push(id);
  }
  await world.settle();
  sent = drafts.map((draft, index) => ({ ...draft, id: ids[index] ?? '' }));
});
afterAll(() => world.close());

function as(context: SubgraphContext, grants: string[], credentialId = randomUUID() as string): SubgraphContext {
  return { ...context, principal: { ...context.principal, grants, credentialId } };
}

async function ask(document: string, grants = ['usage:read', 'costs:read'], context = world.live) {
  const { data, errors } = await graph.execute(document, {}, as(context, grants).principal);
  if (errors?.length) throw Object.assign(new Error(errors[0]?.message), { code: errors[0]?.extensions?.['code'] });
  return JSON.parse(JSON.stringify(data)) as Record<string, Record<string, never>>;
}

interface Page {
  readonly nodes: readonly { readonly eventId: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

/** All pages of the list, concatenated. */
async function listAll(args: string, first: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after = ''; ;) {
    const list = `events(first: ${first} ${args} ${after}) { nodes { eventId } pageInfo { hasNextPage endCursor } }`;
    const { window } = await ask(`{ ${WINDOW} { ${list} } }`);
    const { nodes, pageInfo } = window!['events'] as unknown as Page;
    ids.push(...nodes.map(({ eventId }) => eventId));
    if (!pageInfo.hasNextPage) return ids;
    after = `after: "${pageInfo.endCursor}"`;
  }
}

const byTime = (one: Sent, other: Sent) => other.at - one.at || (one.id < other.id ? -1 : 1);
const byCost = (one: Sent, other: Sent) => other.cost - one.cost || (one.id > other.id ? -1 : 1);
const idsOf = (events: readonly Sent[], order = byTime) => [...events].sort(order).map(({ id }) => id);

describe('a list of events', () => {
  const FILTERS: readonly (readonly [string, (one: Sent) => boolean])[] = [
    ['', () => true],
    ['endUser: "user-1"', ({ endUser }) => endUser === 'user-1'],
    ['hasEndUser: false', ({ endUser }) => endUser === undefined],
    ['hasEndUser: true', ({ endUser }) => endUser !== undefined],
    ['model: "model-2"', ({ model }) => model === 'model-2'],
    ['agent: "agent-1"', ({ agent }) => agent === 'agent-1'],
    ['agent: "Unassigned"', ({ agent }) => agent === undefined],
    ['session: "session-1"', ({ session }) => session === 'session-1'],
    [`apiKey: "${KEYS[1]}"`, ({ key }) => key === KEYS[1]],
    ['dimensions: [{ key: "team", value: "red" }]', ({ team }) => team === 'red'],
    ['dimensions: [{ key: "team", value: "Unassigned" }]', ({ team }) => team === undefined],
    ['dimensions: [{ key: "attempt", value: "2" }]', ({ team }) => team === 'red'],
    ['minCost: "0.02"', ({ cost, isPriced }) => isPriced && cost >= 20],
    ['status: COMPLETED', ({ isPriced }) => isPriced],
    [
      'endUser: "user-1", agent: "agent-1", minCost: "0.001"',
      (one) => one.endUser === 'user-1' && one.agent === 'agent-1' && one.isPriced && one.cost >= 1,
    ],
  ];

  it.each(FILTERS)('is in order of time, filtered by { %s }', async (filter, isLeft) => {
    expect(await listAll(`filter: { ${filter} }`, 7)).toEqual(idsOf(sent.filter(isLeft)));
  });

  it.each(FILTERS)('is in order of cost, filtered by { %s }', async (filter, isLeft) => {
    expect(await listAll(`orderBy: COST, filter: { ${filter} }`, 9)).toEqual(
      idsOf(
        sent.filter((one) => one.isPriced && isLeft(one)),
        byCost,
      ),
    );
  });

  it.each(['', ', endUser: "user-2"'])('contains waiting events%s', async (more) => {
    const waiting = sent.filter(({ isPriced, endUser }) => !isPriced && (more === '' || endUser === 'user-2'));
    expect(await listAll(`filter: { status: PENDING_RATE_CARD ${more} }`, 4)).toEqual(idsOf(waiting));
    expect(await listAll(`filter: { status: FAILED ${more} }`, 4)).toEqual([]);
    expect(await listAll(`filter: { status: PENDING ${more} }`, 4)).toEqual([]);
  });

  it('contains the number of events if there is no filter', async () => {
    const { window } = await ask(
      `{ ${WINDOW} { all: events(first: 1) { totalCount } one: events(filter: { model: "model-1" }) { totalCount } } }`,
    );
    expect(window).toEqual({ all: { totalCount: 120 }, one: { totalCount: null } });
  });

  it('scans a bounded number of events per page, and continues after them', async () => {
    const { organizationId } = world;
    const window = parseWindow({ start: '2026-03-10', end: '2026-03-11' });
    for (const order of ['TIME', 'COST'] as const) {
      const selection = parseEventFilter({ apiKey: KEYS[0], agent: 'agent-2' }, order);
      const found: string[] = [];
      for (let after: EventCursor | null = null, pages = 1; ; pages++) {
        const page: FoundEvents = await world.database.snapshot(organizationId, (tx) =>
          findEvents(tx, { organizationId, window, selection, after, limit: 50, candidatesMax: 10 }),
        );
        found.push(...page.places.map(({ id }) => id));
        if (page.next === null) {
          expect(pages).toBeGreaterThanOrEqual(10);
          break;
        }
        after = page.next;
      }
      const left = sent.filter(({ key, agent }) => key === KEYS[0] && agent === 'agent-2');
      expect(found).toEqual(
        order === 'TIME'
          ? idsOf(left)
          : idsOf(
              left.filter(({ isPriced }) => isPriced),
              byCost,
            ),
      );
    }
  });

  it.each([
    ['filter: { endUser: "nobody" }', 'NOT_FOUND'],
    ['filter: { apiKey: "x" }', 'VALIDATION_ERROR'],
    ['filter: { minCost: "-1" }', 'VALIDATION_ERROR'],
    ['filter: { status: FAILED }, orderBy: COST', 'VALIDATION_ERROR'],
    ['after: "x"', 'VALIDATION_ERROR'],
    ['first: 201', 'VALIDATION_ERROR'],
  ])('refuses %s', async (args, code) => {
    await expect(ask(`{ ${WINDOW} { events(${args}) { nodes { id } } } }`)).rejects.toMatchObject({ code });
  });

  it('does not reveal costs through the order, a minimum cost or a field to a caller who may not read them', async () => {
    for (const events of ['events(orderBy: COST)', 'events(filter: { minCost: "1" })'])
      await expect(ask(`{ ${WINDOW} { ${events} { nodes { id } } } }`, ['usage:read'])).rejects.toMatchObject({
        code: 'FORBIDDEN',
      });
    await expect(ask(`{ ${WINDOW} { events { nodes { totalCost } } } }`, ['usage:read'])).rejects.toMatchObject({
      code: 'FORBIDDEN',
    });
  });

  it('is empty for another organization, which finds no event by id either', async () => {
    const { window } = await ask(`{ ${WINDOW} { events { nodes { id } totalCount } } }`, undefined, world.stranger);
    expect(window?.['events']).toEqual({ nodes: [], totalCount: 0 });
    await expect(
      ask(`{ usageEvent(eventId: "${sent[0]?.id}") { id } }`, undefined, world.stranger),
    ).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

it('the costliest event shows its sender and the reasons for its cost, in one document', async () => {
  const costliest = [...sent].filter(({ isPriced }) => isPriced).sort(byCost)[0];
  const { window } = await ask(`{ ${WINDOW} { events(first: 1, orderBy: COST) { nodes {
    eventId status totalCost modelSent modelSlug quantity livemode eventType
    endUser { externalId } session { sessionId } apiKey { id }
    explanation { totalCost entries { cause lines { class cost } } }
  } } } }`);
  expect(window?.['events']).toEqual({
    nodes: [
      {
        eventId: costliest?.id,
        status: 'COMPLETED',
        totalCost: '0.039',
        modelSent: costliest?.model,
        modelSlug: costliest?.model,
        quantity: 15,
        livemode: true,
        eventType: 'ai.inference',
        endUser: costliest?.endUser === undefined ? null : { externalId: costliest.endUser },
        session: costliest?.session === undefined ? null : { sessionId: costliest.session },
        apiKey: { id: costliest?.key },
        explanation: {
          totalCost: '0.039',
          entries: [{ cause: 'PRICED', lines: expect.any(Array) }],
        },
      },
    ],
  });
});

it("events of the contract's page load their other fields in one read", async () => {
  const { window } = await ask(
    `{ ${WINDOW} { usageEvents(limit: 3) { events { eventId quantity idempotencyKey status totalCost } } } }`,
  );
  expect(window?.['usageEvents']).toEqual({
    events: idsOf(sent)
      .slice(0, 3)
      .map((id) => {
        const one = sent.find((candidate) => candidate.id === id);
        return {
          eventId: id,
          quantity: 15,
          idempotencyKey: `list-${sent.findIndex((candidate) => candidate.id === id)}`,
          status: one?.isPriced ? 'COMPLETED' : 'PENDING_RATE_CARD',
          totalCost: one?.isPriced ? String(one.cost / 1000) : null,
        };
      }),
  });
});

it('events received after another one are listed by pages, oldest first, each once', async () => {
  const ids = sent.map(({ id }) => id);
  const found: string[] = [];
  for (let after = ''; ;) {
    const answer = await ask(
      `{ receivedEvents(receivedAfter: "${ids[89]}", first: 12 ${after}) { nodes { id } pageInfo { hasNextPage endCursor } } }`,
    );
    const page = answer['receivedEvents'] as unknown as Pick<Page, 'pageInfo'> & { nodes: readonly { id: string }[] };
    found.push(...page.nodes.map(({ id }) => id));
    if (!page.pageInfo.hasNextPage || found.length > 120) break;
    after = `after: "${page.pageInfo.endCursor}"`;
  }
  expect(found).toEqual(ids.slice(90));
});

it('costs by API key add up to the ledger', async () => {
  const { window } = await ask(
    `{ ${WINDOW} { ledgerCost costsByApiKey { totalCost totalCount nodes { apiKey { id } totalCost eventCount } } } }`,
  );
  const sumOf = (key: string) =>
    sent.filter((one) => one.key === key && one.isPriced).reduce((sum, { cost }) => sum + cost, 0) / 1000;
  const costs = KEYS.map((id) => ({ apiKey: { id }, totalCost: String(sumOf(id)) })).sort(
    (one, other) => Number(other.totalCost) - Number(one.totalCost),
  );
  expect(window?.['costsByApiKey']).toMatchObject({ totalCount: 2, nodes: costs, totalCost: window?.['ledgerCost'] });
});
