import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plain } from '#kernel/money.ts';
import type { SessionSpanRow } from '../../../../subgraphs/attribution/sessions/session-spans.query.ts';
import { flatSpans, spanTree } from '../../../../subgraphs/attribution/sessions/span-tree.ts';
import { aFact } from '../a-fact.ts';
import { startAttribution, type Attribution } from '../attribution-builder.ts';

const row = (spanId: string | null, parentSpanId: string | null, cost = '1'): SessionSpanRow => ({
  spanId,
  parentSpanId,
  startedAt: '2026-03-01T00:00:00.000Z',
  modelSlugs: ['m'],
  totalCost: cost,
  eventCount: '1',
  sessionType: null,
  sessionCost: '0',
  sessionEvents: '0',
  sessionSpans: '0',
  sessionStartedAt: '',
  sessionEndedAt: '',
});
type Shape = [string | null, string, Shape[]];
const shape = (nodes: ReturnType<typeof spanTree>): Shape[] =>
  nodes.map(({ spanId, totalCost, children }) => [spanId ?? null, plain(totalCost as bigint), shape(children)]);

describe('a tree of spans', () => {
  it('rolls costs up to the roots, in whatever order the spans arrive', () => {
    expect(
      shape(
        spanTree([
          row('c', 'b', '0.1'),
          row('a', null, '0.2'),
          row('b', 'a', '0.4'),
          row(null, 'a', '0.8'),
          row('x', 'gone', '2'),
        ]),
      ),
    ).toEqual([
      [
        'a',
        '1.5',
        [
          ['b', '0.5', [['c', '0.1', []]]],
          [null, '0.8', []],
        ],
      ],
      ['x', '2', []],
    ]);
  });

  it('cuts cycles at their first span, and loses none', () => {
    expect(shape(spanTree([row('d', 'c'), row('b', 'a'), row('a', 'c'), row('c', 'b'), row('s', 's')]))).toEqual([
      [
        'b',
        '4',
        [
          [
            'c',
            '3',
            [
              ['d', '1', []],
              ['a', '1', []],
            ],
          ],
        ],
      ],
      ['s', '1', []],
    ]);
  });

  it('handles a chain as long as a session has spans', () => {
    const roots = spanTree(Array.from({ length: 10_000 }, (_, index) => row(`s${index}`, `s${index - 1}`)));
    expect(plain(roots[0]?.totalCost as bigint)).toBe('10000');
    expect(flatSpans(roots).map(({ spanId, depth }) => [spanId, depth])).toEqual(
      Array.from({ length: 10_000 }, (_, depth) => [`s${depth}`, depth]),
    );
  });

  it('is laid out as a list: each span after its parent and before its next sibling', () => {
    const rows = [row('r', null), row('b', 'r'), row('q', null), row('a', 'r'), row('b2', 'b'), row('b1', 'b')];
    expect(flatSpans(spanTree(rows)).map(({ spanId, depth }) => `${depth} ${spanId}`)).toEqual([
      '0 r',
      '1 b',
      '2 b2',
      '2 b1',
      '1 a',
      '0 q',
    ]);
  });
});

describe('session', () => {
  let world: Attribution;
  beforeAll(async () => {
    world = await startAttribution();
  });
  afterAll(() => world.close());

  it('combines events of one span, corrections included', async () => {
    const organizationId = randomUUID();
    const at = (minute: number) => `2026-03-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
    const first = aFact({
      sessionId: 's',
      spanId: 'root',
      eventTime: at(2),
      modelSlug: 'gpt-5',
      totalCost: '0.5',
      dimensions: { session_type: 'chat' },
    });
    world.feed.publish(organizationId, [
      first,
      { ...first, sequence: 1, totalCost: '-0.25' },
      aFact({ sessionId: 's', spanId: 'root', eventTime: at(1), modelSlug: 'claude', totalCost: '0.5' }),
      aFact({ sessionId: 's', spanId: 'tool', parentSpanId: 'root', eventTime: at(3), totalCost: '0.1' }),
      aFact({ sessionId: 's', eventTime: at(4), totalCost: '0.2' }),
      aFact({ sessionId: 'other', spanId: 'root' }),
    ]);
    await world.settle();
    const node = 'spanId parentSpanId startedAt modelSlugs ownCost totalCost eventCount';
    expect(
      await world.ask(
        organizationId,
        `{ session(sessionId: "s") { sessionType totalCost eventCount truncated roots { ${node} children { ${node} } } } }`,
      ),
    ).toEqual({
      session: {
        sessionType: 'chat',
        totalCost: '1.05',
        eventCount: 4,
        truncated: false,
        roots: [
          {
            spanId: 'root',
            parentSpanId: null,
            startedAt: at(1),
            modelSlugs: ['claude', 'gpt-5'],
            ownCost: '0.75',
            totalCost: '0.85',
            eventCount: 2,
            children: [
              {
                spanId: 'tool',
                parentSpanId: 'root',
                startedAt: at(3),
                modelSlugs: ['gpt-5'],
                ownCost: '0.1',
                totalCost: '0.1',
                eventCount: 1,
              },
            ],
          },
          {
            spanId: null,
            parentSpanId: null,
            startedAt: at(4),
            modelSlugs: ['gpt-5'],
            ownCost: '0.2',
            totalCost: '0.2',
            eventCount: 1,
            children: [],
          },
        ],
      },
    });
    await expect(world.ask(organizationId, '{ session(sessionId: "unknown") { totalCost } }')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
