/** Tools that a provider ran, in the texts that the AI SDK and OpenTelemetry document. */
import { expect, it } from 'vitest';
import { callTools } from '#usage/telemetry/call-tools.ts';
import { callUsage } from '#usage/telemetry/call-usage.ts';
import { countTelemetryTools } from '#usage/telemetry/count-telemetry-tools.ts';
import type { Attributes } from '#usage/telemetry/telemetry-record.ts';
import { aSpan } from './a-span.ts';

const TOOL = 'ai_product_books.tools.';
const POSSIBLE = 'ai_product_books.possible_tools';
const executed = (toolName: string, providerExecuted: unknown = true) => ({ toolName, providerExecuted });

it.each<[string, string, unknown, object]>([
  ['calls', 'ai.response.toolCalls', [executed('web_search')], { [`${TOOL}web_searches`]: 1 }],
  ['calls of version 4', 'ai.result.toolCalls', [executed('web_search')], { [`${TOOL}web_searches`]: 1 }],
  ['another attribute', 'ai.prompt', [executed('web_search')], {}],
  ['calls run by the caller', 'ai.response.toolCalls', [executed('web_search', false)], {}],
  [
    'calls without a mark',
    'ai.response.toolCalls',
    [{ toolName: 'web_search' }, { toolName: 'code_execution' }],
    { [POSSIBLE]: 2 },
  ],
  ...['code_interpreter', 'codeExecution', 'image_generation', 'x_search'].map(
    (toolName): [string, string, unknown, object] => [
      `${toolName} without a mark`,
      'ai.response.toolCalls',
      [{ toolName }],
      { [POSSIBLE]: 1 },
    ],
  ),
  ['a tool of no provider without a mark', 'ai.response.toolCalls', [{ toolName: 'search_orders' }], {}],
  ['a fetch without a mark', 'ai.response.toolCalls', [{ toolName: 'web_fetch_search' }], {}],
  ['a call without a name', 'ai.response.toolCalls', [{ input: 'search' }], {}],
  [
    'each kind',
    'ai.response.toolCalls',
    [
      executed('web_search_preview'),
      executed('webSearch'),
      executed('x_search'),
      executed('file_search'),
      executed('code_interpreter'),
      executed('codeExecution'),
      executed('image_generation'),
    ],
    {
      [`${TOOL}web_search_previews`]: 1,
      [`${TOOL}web_searches`]: 1,
      [`${TOOL}x_searches`]: 1,
      [`${TOOL}storage_searches`]: 1,
      [`${TOOL}code_executions`]: 2,
      [`${TOOL}generated_images`]: 1,
    },
  ],
  [
    'grounding',
    'ai.response.providerMetadata',
    { google: { groundingMetadata: { webSearchQueries: ['a', 'b'] } } },
    { [`${TOOL}search_queries`]: 2, [`${TOOL}grounded_prompts`]: 1 },
  ],
  [
    "messages with a provider's call",
    'gen_ai.output.messages',
    [
      {
        parts: [
          { type: 'server_tool_call', name: 'web_search', server_tool_call: {} },
          { type: 'text', content: 'search' },
        ],
      },
    ],
    { [`${TOOL}web_searches`]: 1 },
  ],
  ...[{ arguments: { action: { type: 'open_page' } } }, { action: { type: 'find_in_page' } }].map(
    (call): [string, string, unknown, object] => [
      `messages with a call of a provider that opens a page: ${JSON.stringify(call)}`,
      'gen_ai.output.messages',
      [{ parts: [{ type: 'server_tool_call', name: 'web_search', server_tool_call: call }] }],
      {},
    ],
  ),
  [
    'messages with an answered call whose arguments open a page',
    'gen_ai.output.messages',
    [
      {
        parts: [
          { type: 'tool_call', id: '1', name: 'web_search', arguments: { action: { type: 'open_page' } } },
          { type: 'tool_call_response', id: '1' },
        ],
      },
    ],
    {},
  ],
  [
    'messages that name the call within',
    'gen_ai.output.messages',
    [{ parts: [{ type: 'server_tool_call', server_tool_call: { type: 'code_interpreter' } }] }],
    { [`${TOOL}code_executions`]: 1 },
  ],
  [
    'messages with an answered call',
    'gen_ai.output.messages',
    [
      {
        parts: [
          { type: 'tool_call', id: '1', name: 'web_search' },
          { type: 'tool_call_response', id: '1' },
        ],
      },
    ],
    { [`${TOOL}web_searches`]: 1 },
  ],
  [
    'messages with a call that opens a page',
    'gen_ai.output.messages',
    [
      {
        parts: [
          { type: 'tool_call', id: '1', name: 'web_search' },
          { type: 'tool_call_response', id: '1', response: { action: { type: 'open_page' } } },
        ],
      },
    ],
    {},
  ],
  [
    'messages with an unanswered call',
    'gen_ai.output.messages',
    [
      {
        parts: [
          { type: 'tool_call', id: '1', name: 'web_search' },
          { type: 'tool_call_response', id: '2' },
        ],
      },
    ],
    { [POSSIBLE]: 1 },
  ],
])('tools are counted in a span: %s', (_, name, content, counts) => {
  expect(countTelemetryTools(name, JSON.stringify(content))).toEqual(counts);
});

it.each([1024 * 1024, 1024 * 1024 + 1])('a text of more than 1 MiB is not parsed: %d', (length) => {
  const text = JSON.stringify([executed('web_search')]).padEnd(length);
  expect(countTelemetryTools('ai.response.toolCalls', text)).toEqual(
    length > 1_048_576 ? { [POSSIBLE]: 1 } : { [`${TOOL}web_searches`]: 1 },
  );
});

it('no tools are counted in a text that is not JSON', () => {
  expect(countTelemetryTools('ai.response.toolCalls', 'search')).toEqual({});
});

it.each<[string, Attributes, string, object | undefined]>([
  ['nothing', {}, 'acme', undefined],
  [
    'counted tools',
    { [`${TOOL}code_executions`]: 2, [`${TOOL}x_searches`]: 1 },
    'acme',
    { code_executions: 2, x_searches: 1 },
  ],
  ['searches in the usage', { 'gen_ai.usage.server_tool_use.web_search_requests': 3 }, 'acme', { web_searches: 3 }],
  ['searches of the AI SDK', { 'ai.usage.raw.server_tool_use.web_search_requests': 3 }, 'acme', { web_searches: 3 }],
  ['searches of another prefix', { 'llm.usage.web_search_requests': 3 }, 'acme', { web_searches: 3 }],
  ['searches of other names', { 'acme.web_search_requests': 3, 'gen_ai.my_web_search_requests': 2 }, 'acme', undefined],
  [
    'stated searches before counted ones',
    { [`${TOOL}web_searches`]: 2, 'llm.usage.web_search_requests': 3 },
    'acme',
    { web_searches: 3 },
  ],
  [
    'searches of Perplexity',
    { 'ai.response.providerMetadata': '{"perplexity":{"usage":{"numSearchQueries":4}}}' },
    'acme',
    { web_searches: 4 },
  ],
  ['possible tools of the AI SDK', { [POSSIBLE]: 2 }, 'ai', { server_tools: 2 }],
  ['one possible tool of AI SDK 7', { [POSSIBLE]: 1 }, '@ai-sdk/otel', { server_tools: 1 }],
  ['possible tools of another library', { [POSSIBLE]: 2 }, 'acme', undefined],
  ['no possible tool', { [POSSIBLE]: 0 }, 'ai', undefined],
  [
    "Anthropic's own counts",
    { [POSSIBLE]: 2, 'ai.usage': '{"input_tokens":5,"output_tokens":1,"cache_read_input_tokens":0}' },
    'ai',
    undefined,
  ],
  ["Gemini's own counts", { [POSSIBLE]: 2, 'ai.usage': '{"promptTokenCount":5}' }, 'ai', undefined],
  ['own counts of another provider', { [POSSIBLE]: 2, 'ai.usage': '{"prompt_tokens":5}' }, 'ai', { server_tools: 2 }],
])('a span with %s', (_, attributes, scope, tools) => {
  const record = aSpan({ 'gen_ai.usage.input_tokens': 5, ...attributes }, { scope });
  expect(callTools(record, callUsage(record)!)).toEqual(tools);
});
