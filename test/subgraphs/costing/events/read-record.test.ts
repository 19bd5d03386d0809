/** An exception that the content of one record causes rejects that record and no other. */
import { expect, it } from 'vitest';
import { createLog } from '#platform/log.ts';
import { eventParser, recordReader } from '../../../../subgraphs/costing/events/read-record.ts';
import { selectCalls } from '#usage/telemetry/select-calls.ts';
import type { TelemetryRecord } from '#usage/telemetry/telemetry-record.ts';

const log = createLog('silent');
const broken = {
  get model(): string {
    throw new TypeError('broken');
  },
};

it('a usage event', () => {
  expect(eventParser(log)(broken)).toEqual({ ok: false, message: 'This record could not be read: broken' });
});

it('a span', () => {
  const span = (spanId: string): TelemetryRecord => ({
    resource: {},
    scope: { name: 'test', version: '', schemaUrl: '' },
    traceId: '1'.repeat(32),
    spanId,
    parentSpanId: '',
    name: 'chat gpt-4o',
    startMs: 1_790_000_000_000,
    endMs: 1_790_000_001_000,
    status: 0,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 100,
    },
  });
  const unreadable: TelemetryRecord = {
    ...span('2'.repeat(16)),
    get attributes(): never {
      throw new TypeError('broken');
    },
  };
  const selection = selectCalls([unreadable, span('3'.repeat(16))], new Set(), recordReader(log));
  expect(selection.calls.map(({ record }) => record.spanId)).toEqual(['3'.repeat(16)]);
  expect(selection.unreadable.map(({ record }) => record.spanId)).toEqual(['2'.repeat(16)]);
  expect(selection.ignored).toEqual([]);
});
