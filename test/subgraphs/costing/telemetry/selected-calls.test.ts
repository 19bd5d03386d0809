/** Which spans of a request are billed calls: each call once. */
import { describe, expect, it } from 'vitest';
import { marksOf, type RecordReader, selectCalls } from '#usage/telemetry/select-calls.ts';
import { aSpan } from './a-span.ts';

const read: RecordReader = (reading) => reading();
const COUNTS = { 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 5 };
const CALL = { 'gen_ai.operation.name': 'chat', ...COUNTS };
const AGENT = { 'gen_ai.operation.name': 'invoke_agent', ...COUNTS };
const WORKFLOW = { 'gen_ai.operation.name': 'invoke_workflow', ...COUNTS };
const TOOL = { 'gen_ai.operation.name': 'execute_tool' };
const CHAIN = { 'openinference.span.kind': 'CHAIN' };
const TASK = { 'gen_ai.operation.name': 'task', 'gen_ai.task.id': 't' };
const EMPTY = { 'gen_ai.operation.name': 'chat' };

type Span = readonly [id: string, parent: string, attributes: Record<string, string | number>, name?: string];
const span = ([spanId, parentSpanId, attributes, name = 'x']: Span) =>
  aSpan(attributes, { traceId: 't', spanId, parentSpanId, name });

function select(spans: readonly Span[], known: readonly string[] = []) {
  const { calls, ignored, tasks, marks } = selectCalls(spans.map(span), new Set(known), read);
  return {
    calls: calls.map(({ record, ancestors }) => [record.spanId, ...ancestors.map((one) => one.spanId)].join('<')),
    ignored: Object.fromEntries(ignored.map(({ record, reason }) => [record.spanId, reason])),
    tasks: tasks.map(({ record }) => record.spanId),
    marks: [...marks].toSorted(),
  };
}

describe('one request', () => {
  it.each<[string, Span[], string[], Record<string, string>]>([
    ['a call', [['1', '', CALL]], ['1'], {}],
    [
      'a call within others',
      [
        ['1', '', CHAIN],
        ['2', '1', TOOL],
        ['3', '2', CALL],
      ],
      ['3<2<1'],
      { 1: 'contains_calls', 2: 'contains_calls' },
    ],
    [
      'a call that repeats the usage of its part',
      [
        ['1', '', CALL],
        ['2', '1', CALL],
      ],
      ['2<1'],
      { 1: 'calls_below' },
    ],
    [
      'an unknown span around a call',
      [
        ['1', '', COUNTS],
        ['2', '1', CALL],
      ],
      ['2<1'],
      { 1: 'calls_below' },
    ],
    ['an unknown span with usage', [['1', '', COUNTS]], ['1'], {}],
    ['an unknown span without usage', [['1', '', {}]], [], { 1: 'not_a_call' }],
    ['a call without usage', [['1', '', EMPTY]], [], { 1: 'no_usage' }],
    [
      'a call above one without usage',
      [
        ['1', '', CALL],
        ['2', '1', EMPTY],
      ],
      ['1'],
      { 2: 'no_usage' },
    ],
    [
      'a call above a chain with a call',
      [
        ['1', '', CALL],
        ['2', '1', CHAIN],
        ['3', '2', CALL],
      ],
      ['3<2<1'],
      { 1: 'calls_below', 2: 'contains_calls' },
    ],
    [
      'a call made by a tool of a call',
      [
        ['1', '', CALL],
        ['2', '1', TOOL],
        ['3', '2', CALL],
      ],
      ['1', '3<2<1'],
      { 2: 'contains_calls' },
    ],
    ['an agent alone', [['1', '', AGENT]], ['1'], {}],
    ['a workflow alone', [['1', '', WORKFLOW]], ['1'], {}],
    [
      'an agent with a call',
      [
        ['1', '', AGENT],
        ['2', '1', CALL],
      ],
      ['2<1'],
      { 1: 'contains_calls' },
    ],
    [
      'an agent within an agent',
      [
        ['1', '', AGENT],
        ['2', '1', AGENT],
      ],
      ['2<1'],
      { 1: 'contains_calls' },
    ],
    [
      'an agent below a call',
      [
        ['1', '', CALL],
        ['2', '1', AGENT],
      ],
      ['1', '2<1'],
      {},
    ],
    ['a chain with usage', [['1', '', { ...CHAIN, ...COUNTS }]], [], { 1: 'usage_without_calls' }],
    [
      'a chain with usage in an agent',
      [
        ['1', '', AGENT],
        ['2', '1', { ...CHAIN, ...COUNTS }],
      ],
      ['1'],
      { 2: 'usage_without_calls' },
    ],
    ['a chain without usage', [['1', '', CHAIN]], [], { 1: 'contains_calls' }],
    [
      'a task',
      [
        ['1', '', TASK],
        ['2', '1', CALL],
      ],
      ['2<1'],
      { 1: 'task' },
    ],
  ])('selects each call once: %s', (_, spans, calls, ignored) => {
    for (const order of [spans, spans.toReversed()]) {
      const found = select(order);
      expect(found.calls.toSorted()).toEqual(calls.toSorted());
      expect(found.ignored).toEqual(ignored);
    }
  });

  it.each(['execute_tool x', 'tool', 'invoke_agent x', 'agent run', 'ai.toolCall', 'TOOL'])(
    'a span named %s is separate work',
    (name) => {
      const spans: Span[] = [
        ['1', '', CALL],
        ['2', '1', CHAIN, name],
        ['3', '2', CALL],
      ];
      expect(select(spans).calls).toEqual(['1', '3<2<1']);
    },
  );

  it.each([
    { 'openinference.span.kind': 'AGENT' },
    { 'openinference.span.kind': 'TOOL' },
    { 'traceloop.span.kind': 'agent' },
    { 'traceloop.span.kind': 'tool' },
    { 'ai.operationId': 'ai.toolCall' },
    { 'gen_ai.operation.name': 'invoke_agent' },
  ])('a span with %j is separate work', (attributes) => {
    expect(
      select([
        ['1', '', CALL],
        ['2', '1', attributes],
        ['3', '2', CALL],
      ]).calls,
    ).toEqual(['1', '3<2<1']);
  });

  it('is processed to its end even if spans form a cycle', () => {
    const { calls, ignored } = select([
      ['1', '2', CALL],
      ['2', '1', CHAIN],
    ]);
    expect(calls.length + Object.keys(ignored).length).toBe(2);
  });

  it('has its tasks listed', () => {
    expect(
      select([
        ['1', '', TASK],
        ['2', '1', { ...TASK, ...COUNTS }],
      ]).tasks,
    ).toEqual(['1', '2']);
  });

  it('separates spans of several traces with the same ids', () => {
    const spans = ['one', 'two'].map((traceId) => aSpan(CALL, { traceId, spanId: '1', parentSpanId: '' }));
    expect(selectCalls(spans, new Set(), read).calls).toHaveLength(2);
  });
});

describe('several requests', () => {
  it.each<[string, Span[], string[]]>([
    ['a call', [['2', '1', CALL]], ['stored:t:2', 't:1']],
    ['a call without a parent', [['2', '', CALL]], ['stored:t:2']],
    [
      'a call in a chain',
      [
        ['3', '2', CALL],
        ['2', '1', CHAIN],
      ],
      ['stored:t:3', 't:1', 't:2'],
    ],
    [
      'a call in a tool',
      [
        ['3', '2', CALL],
        ['2', '1', TOOL],
      ],
      ['below:t:1', 'stored:t:3', 't:2'],
    ],
    ['an agent', [['2', '1', AGENT]], ['below:t:1', 'counted:t:2']],
    ['a span without usage', [['2', '1', CHAIN]], []],
  ])('marks of %s', (_, spans, marks) => {
    expect(select(spans).marks).toEqual(marks.toSorted());
  });

  it.each<[string, Span, string[], string | null, string[]]>([
    ['a call below', ['2', '1', CALL], ['t:2'], 'calls_below', ['t:1']],
    ['a call below a tool', ['2', '1', CALL], ['below:t:2'], null, ['stored:t:2', 't:1']],
    ['a counted agent above', ['2', '1', CALL], ['counted:t:1'], 'counted_above', []],
    ['a stored call above', ['2', '1', CALL], ['stored:t:1'], 'counted_above', []],
    ['a stored call above an agent', ['2', '1', AGENT], ['stored:t:1'], null, ['below:t:1', 'counted:t:2']],
    ['a counted agent above an agent', ['2', '1', AGENT], ['counted:t:1'], null, ['below:t:1', 'counted:t:2']],
    ['a call below an agent', ['2', '1', AGENT], ['t:2'], 'contains_calls', ['below:t:1']],
    ['a call of a tool below an agent', ['2', '1', AGENT], ['below:t:2'], 'contains_calls', ['below:t:1']],
    ['a call below a chain', ['2', '1', CHAIN], ['t:2'], 'contains_calls', ['t:1']],
    ['a call of a tool below a chain', ['2', '1', CHAIN], ['below:t:2'], 'contains_calls', ['below:t:1']],
    ['a call below a tool that arrives later', ['2', '1', TOOL], ['t:2'], 'contains_calls', ['below:t:1']],
    ['a call elsewhere', ['2', '1', CALL], ['t:3', 'counted:t:2', 'stored:t:2'], null, ['stored:t:2', 't:1']],
  ])('%s, by an earlier request', (_, one, known, reason, marks) => {
    const found = select([one], known);
    expect(found.ignored).toEqual(reason === null ? {} : { [one[0]]: reason });
    expect(found.calls).toEqual(reason === null ? [one[0]] : []);
    expect(found.marks).toEqual(marks.toSorted());
  });

  it.each<[string, Span[], string[], string[]]>([
    [
      'a stored call above a chain',
      [
        ['2', '1', CHAIN],
        ['3', '2', CALL],
      ],
      ['stored:t:1'],
      [],
    ],
    [
      'a stored call above a tool',
      [
        ['2', '1', TOOL],
        ['3', '2', CALL],
      ],
      ['stored:t:1'],
      ['3<2'],
    ],
    [
      'a counted agent above a tool',
      [
        ['2', '1', TOOL],
        ['3', '2', CALL],
      ],
      ['counted:t:1'],
      [],
    ],
    [
      'a call below a chain in a call',
      [
        ['2', '', CALL],
        ['3', '2', CHAIN],
      ],
      ['t:3'],
      [],
    ],
    [
      'a call below a tool in a call',
      [
        ['2', '', CALL],
        ['3', '2', TOOL],
      ],
      ['t:3'],
      ['2'],
    ],
    [
      'a call below a call without usage',
      [
        ['2', '', CALL],
        ['3', '2', EMPTY],
      ],
      ['t:3'],
      ['2'],
    ],
    [
      'a call below a chain in an agent',
      [
        ['2', '', AGENT],
        ['3', '2', CHAIN],
      ],
      ['t:3'],
      [],
    ],
  ])('%s, with the spans in between', (_, spans, known, calls) => {
    expect(select(spans, known).calls).toEqual(calls);
  });

  it('requires looking up the marks of each span and of its parent', () => {
    expect(marksOf([span(['2', '1', CALL]), span(['3', '', CALL])])).toEqual([
      't:2',
      'below:t:2',
      'counted:t:1',
      'stored:t:1',
      't:3',
      'below:t:3',
    ]);
  });
});
