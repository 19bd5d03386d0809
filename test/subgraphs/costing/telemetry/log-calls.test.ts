/** Log records of coding agents, with the attributes that each agent documents. */
import { expect, it } from 'vitest';
import { readLog, spanFacts, usageEventOf } from '#usage/telemetry/log-call.ts';
import type { Attributes } from '#usage/telemetry/telemetry-record.ts';
import { aSpan } from './a-span.ts';

const AT = 1_795_694_400_000;
const read = (attributes: Attributes, more: Parameters<typeof aSpan>[1] = {}) =>
  readLog(aSpan(attributes, { name: '', ...more }));
const COUNTS = { input_tokens: 10, output_tokens: 5 };

it.each<[string, Attributes, Parameters<typeof aSpan>[1], boolean]>([
  ['Claude Code', { 'event.name': 'claude_code.api_request' }, { scope: 'com.anthropic.claude_code' }, true],
  ['Claude Code, short', { 'event.name': 'api_request' }, { scope: 'com.anthropic.claude_code' }, true],
  [
    'Claude Code by its service',
    { 'event.name': 'api_request' },
    { resource: { 'service.name': 'claude-code' } },
    true,
  ],
  ['Claude Code by its record', {}, { name: 'claude_code.api_request' }, true],
  ['another service', { 'event.name': 'api_request' }, {}, false],
  ['another event of Claude Code', { 'event.name': 'user_prompt' }, { scope: 'claude' }, false],
  ['Codex', { 'event.name': 'codex.sse_event', 'event.kind': 'response.completed' }, {}, true],
  ['Codex before the end', { 'event.name': 'codex.sse_event', 'event.kind': 'response.created' }, {}, false],
  ['another event of Codex', { 'event.name': 'codex.api_request', 'event.kind': 'response.completed' }, {}, false],
])('a log record is a call or not: %s', (_, attributes, more, isCall) => {
  expect(read({ ...COUNTS, ...attributes }, more)).toMatchObject(
    isCall ? { ok: true } : { ok: false, reason: 'not_a_call' },
  );
  const empty = read(attributes, more);
  expect(empty).toEqual({ ok: false, reason: isCall ? 'no_usage' : 'not_a_call' });
});

it.each(['gemini_cli', 'qwen-code', 'qwen_code'])('a log record of %s is read with its counts', (agent) => {
  const counts = {
    input_token_count: 100,
    output_token_count: 20,
    cached_content_token_count: 30,
    thoughts_token_count: 7,
    tool_token_count: 4,
    total_token_count: 131,
  };
  const record = { 'event.name': `${agent}.api_response`, model: 'gemini-2.5-pro' };
  expect(read({ ...record, ...counts })).toMatchObject({
    ok: true,
    usage: {
      input: 100,
      output: 20,
      raw: {
        promptTokenCount: 100,
        candidatesTokenCount: 20,
        cachedContentTokenCount: 30,
        thoughtsTokenCount: 7,
        toolUsePromptTokenCount: 4,
        totalTokenCount: 131,
      },
    },
  });
  expect(read({ ...record, input_token_count: 0, output_token_count: 5 })).toMatchObject({
    usage: { input: 0, output: 5, raw: { promptTokenCount: 0, candidatesTokenCount: 5 } },
  });
  expect(read({ ...record, thoughts_token_count: 5 })).toMatchObject({ usage: { input: 0, output: 0 } });
  expect(read({ ...record, input_token_count: 0 })).toEqual({ ok: false, reason: 'no_usage' });
  expect(read({ ...record, input_token_count: 5 })).toMatchObject({ usage: { raw: { promptTokenCount: 5 } } });
});

const FINGERPRINT = {
  'event.timestamp': 't',
  'event.sequence': 3,
  duration_ms: 40,
  input_tokens: 10,
  output_tokens: 5,
  input_token_count: 11,
  output_token_count: 6,
  cached_token_count: 2,
  total_token_count: 17,
};
const PRINT = `${AT}-t-3-40-10-5-11-6-2-17`;

it.each<[string, Attributes, object]>([
  [
    'Claude Code',
    { 'event.name': 'api_request', model: 'claude-opus-4-1', 'session.id': 's', speed: 'fast' },
    { provider: 'anthropic', key: `claude-code:s:${PRINT}`, convention: 'exclusive', event: { speed: 'fast' } },
  ],
  [
    'a request of Claude Code at Bedrock',
    { 'event.name': 'api_request', model: 'us.anthropic.claude-opus-4-1', request_id: 'r' },
    { provider: 'aws', key: 'anthropic:r', convention: 'exclusive', event: {} },
  ],
  [
    'a model of another vendor in Claude Code',
    { 'event.name': 'api_request', model: 'glm-4.6' },
    { key: `claude-code::${PRINT}`, convention: 'exclusive', event: {} },
  ],
  ...['gpt-5', 'chatgpt-4o-latest', 'codex-mini', 'o3'].map((model): [string, Attributes, object] => [
    `Codex with ${model}`,
    { 'event.name': 'codex.sse_event', 'event.kind': 'response.completed', model, 'conversation.id': 'c' },
    { provider: 'openai', key: `codex:c:${PRINT}`, convention: 'inclusive' },
  ]),
  [
    'Codex without a model',
    { 'event.name': 'codex.sse_event', 'event.kind': 'response.completed' },
    { provider: 'openai', key: `codex::${PRINT}`, convention: 'inclusive' },
  ],
  [
    'Codex with an open model',
    { 'event.name': 'codex.sse_event', 'event.kind': 'response.completed', model: 'gpt-oss-120b' },
    { key: `codex::${PRINT}`, convention: 'inclusive' },
  ],
  ...['gemini-2.5-pro', 'models/gemini-2.5-pro', 'gemma-3'].map((model): [string, Attributes, object] => [
    `Gemini CLI with ${model}`,
    { 'event.name': 'gemini_cli.api_response', model, response_id: 'r', prompt_id: 'p', 'session.id': 's' },
    { provider: 'google', key: `gemini-cli:r:${PRINT}` },
  ]),
  [
    'Gemini CLI with another model',
    { 'event.name': 'gemini_cli.api_response', model: 'qwen3-coder', prompt_id: 'p', 'session.id': 's' },
    { key: `gemini-cli:p:${PRINT}` },
  ],
  ['Gemini CLI without a session', { 'event.name': 'gemini_cli.api_response' }, { key: `gemini-cli::${PRINT}` }],
  [
    'Gemini CLI without ids',
    { 'event.name': 'gemini_cli.api_response', 'session.id': 's' },
    { key: `gemini-cli:s:${PRINT}` },
  ],
])('the facts of %s', (_, attributes, facts) => {
  const found = read({ ...FINGERPRINT, ...attributes }, { scope: 'claude' });
  expect(found).toMatchObject({ ok: true });
  expect(found.ok && found.facts).toEqual(facts);
});

it('a negative count in a record of Gemini CLI is passed on as sent', () => {
  const attributes = { 'event.name': 'gemini_cli.api_response', input_token_count: -5, output_token_count: 10 };
  const found = read(attributes, { scope: 'gemini-cli' });
  expect(found.ok && found.usage.impossible).toEqual({ input: -5 });
});

it("spans of Claude Code have its log records' facts", () => {
  const attributes = { model: 'claude-opus-4-1', request_id: 'r' };
  const facts = { provider: 'anthropic', key: 'anthropic:r', convention: 'exclusive', event: {} };
  expect(spanFacts(aSpan(attributes, { name: 'claude_code.llm_request' }))).toEqual(facts);
  expect(spanFacts(aSpan(attributes, { name: 'claude_code.tool' }))).toEqual({});
});

it.each<[string, Attributes, unknown]>([
  ['ai_product_books.usage_event', { 'ai_product_books.usage_event': '{"model":"m"}' }, { model: 'm' }],
  ['ai_product_books.usage_event', { 'ai_product_books.usage_event': '{"model"' }, null],
  ['ai_product_books.usage_event', { 'ai_product_books.usage_event': 5 }, null],
  ['ai_product_books.usage_event', {}, null],
  ['other', { 'ai_product_books.usage_event': '{"model":"m"}' }, undefined],
])('an event of our libraries: %s %j', (name, attributes, event) => {
  expect(usageEventOf(aSpan(attributes, { name }))).toEqual(event);
});
