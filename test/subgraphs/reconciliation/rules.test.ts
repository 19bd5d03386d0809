/**
 * Names of lines are interpreted correctly or not at all, never wrongly. The names were seen in public code, bills and
 * price lists.
 */
import { describe, expect, it } from 'vitest';
import { modelInText, readBedrockUsageType } from '../../../subgraphs/reconciliation/rules/bedrock-usage-types.ts';
import { readAzureMeter } from '../../../subgraphs/reconciliation/rules/azure-meters.ts';
import { modelKey } from '../../../subgraphs/reconciliation/rules/model-key.ts';
import { readOpenaiLineItem } from '../../../subgraphs/reconciliation/rules/openai-line-items.ts';
import { readVertexSku } from '../../../subgraphs/reconciliation/rules/vertex-skus.ts';
import type { LineMeaning } from '../../../subgraphs/reconciliation/lines/bill-line.ts';

const short = (meaning: LineMeaning | null) =>
  meaning === null
    ? null
    : [meaning.model, meaning.tokenClass ?? meaning.unit ?? meaning.kind, meaning.context].join(' ').trim();

describe('line items of OpenAI', () => {
  it.each([
    ['gpt-4o-mini-2024-07-18, input', 'gpt-4o-mini-2024-07-18 input'],
    ['gpt-4o-mini-2024-07-18, cached input', 'gpt-4o-mini-2024-07-18 cacheRead'],
    ['gpt-5.6-sol, cache write', 'gpt-5.6-sol cacheCreation'],
    ['gpt-5.6-luna, output', 'gpt-5.6-luna output'],
    ['priority | gpt-5.6-sol, output, long context', 'gpt-5.6-sol output size=long,tier=priority'],
    ['web search tool calls', 'searches'],
    ['gpt-5, input_tokens', null],
    ['gpt-4o, embedding drift', null],
    ['something | gpt-4o, input', null],
    ['gpt-4o', null],
    ['gpt-4o, input, output', null],
  ])('are read: %s', (name, expected) => {
    expect(short(readOpenaiLineItem(name))).toBe(expected);
  });
});

describe('usage types of Bedrock', () => {
  it.each([
    ['USE1-Claude3Sonnet-input-tokens', 'claude-3-sonnet input'],
    ['USE1-Claude4.6Opus-input-tokens', 'claude-opus-4-6 input'],
    ['USE1-Claude4.6Opus-cache-read-input-token-count-cross-region-global', 'claude-opus-4-6 cacheRead geo=global'],
    [
      'USW2-anthropic.claude-opus-4-8-mantle-cache-write-tokens-global-standard',
      'claude-opus-4-8 cacheCreation geo=global',
    ],
    ['USE1-Nova2.0Lite-input-tokens-cross-region-global-batch', 'nova-2-lite input geo=global,tier=batch'],
    ['USE1-Nova2.0Pro-text-input-tokens-priority-cross-region-global', 'nova-2-pro input geo=global,tier=priority'],
    ['USE1-Gemma-3-4B-IT-input-tokens-flex', 'gemma-3-4b-it input tier=flex'],
    ['USE1-GPT-OSS-Safeguard-20B-input-tokens-priority', 'gpt-oss-safeguard-20b input tier=priority'],
    ['USE1-Qwen3-32B-ProvisionedThroughput-NoCommit-ModelUnits', 'model_unit_hours'],
    ['USE1-cohere.rerank-english-v3-search-units', 'search_units'],
    ['USW2-NovaPro-input-tokens-cross-region-geo', 'nova-pro input'],
    ['EUC1-Claude3.5Haiku-cache-write-input-token-count', 'claude-3-5-haiku cacheCreation'],
    [
      'USW2-Claude4.5Sonnet-output-tokens-long-context-cross-region-global',
      'claude-sonnet-4-5 output geo=global,size=long',
    ],
    ['USE1-reserved-1-month-input-tokens-per-minute-cross-region-global', 'capacity'],
    ['USE1-BedrockKnowledgeBase-searchunits-token', null],
    ['USE1-Claude4.6Opus-input-tokens-interstellar', null],
    ['USE1-BoxUsage:m6i.large', null],
  ])('are read: %s', (name, expected) => {
    expect(short(readBedrockUsageType(name))).toBe(expected);
  });

  it('usage types of Bedrock of the Marketplace name their model in the description or the service', () => {
    const read = (usageType: string) =>
      short(readBedrockUsageType(usageType, '', 'Claude Opus 4.6 (Amazon Bedrock Edition)'));
    expect(read('USE1-MP:USE1_InputTokenCount_Global-Units')).toBe('claude-opus-4-6 input geo=global');
    expect(read('USE1-MP:USE1_InputTokenCount_Batch-Units')).toBe('claude-opus-4-6 input tier=batch');
    expect(read('USE1-MP:USE1_CacheReadInputTokenCount-Units')).toBe('claude-opus-4-6 cacheRead');
    expect(read('USE1-MP:USE1_CacheWriteInputTokenCount_Global-Units')).toBe(
      'claude-opus-4-6 cacheCreation geo=global',
    );
    expect(read('USE1-MP:USE1_SomethingTokenCount-Units')).toBeNull();
    expect(modelInText('Amazon Elastic Compute Cloud - Compute')).toBeNull();
  });
});

describe('meters of Azure', () => {
  it.each([
    ['gpt-4o-0806-Inp-glbl Tokens', 'gpt-4o-2024-08-06 input'],
    ['gpt-4o-0806-Outp-glbl Tokens', 'gpt-4o-2024-08-06 output'],
    ['gpt 4o 0806 Inp Data Zone Tokens', 'gpt-4o-2024-08-06 input deployment=datazone'],
    ['gpt-4o-0806-Inp-regnl Tokens', 'gpt-4o-2024-08-06 input deployment=region'],
    ['gpt 4o mini0718 BatchOutp DataZone Tokens', 'gpt-4o-mini-2024-07-18 output deployment=datazone,tier=batch'],
    ['GPT 5 Inpt Glbl', 'gpt-5 input'],
    ['GPT 5 Mini cchd Inpt Glbl', 'gpt-5-mini cacheRead'],
    ['5.4 mini Opt Gl 1M Tokens', 'gpt-5.4-mini output'],
    ['5.6 sol ShortCo Cd Wr Std Gl 1M Tokens', 'gpt-5.6-sol cacheCreation'],
    ['V4 Flash cached DZ Tokens', 'deepseek-v4-flash cacheRead deployment=datazone'],
    ['Standard IOPS Operations', null],
    ['D4s v5', null],
    ['gpt 4o 9999 Inp glbl Tokens', null],
  ])('are read: %s', (name, expected) => {
    expect(short(readAzureMeter(name))).toBe(expected);
  });

  it('meters of Azure of fine-tuned models are not those of the base model', () => {
    const meaning = readAzureMeter('gpt 4o mini dev ft cchd inpt glbl Tokens');
    expect(short(meaning)).toBe('gpt-4o-mini:ft cacheRead tuning=developer');
    expect(meaning?.verified).toBe(false);
  });
});

describe('SKUs of Vertex AI', () => {
  it.each([
    ['Gemini 2.5 Flash GA Text Input', 'gemini-2.5-flash input'],
    ['Gemini 2.5 Flash GA Thinking Text Output', 'gemini-2.5-flash reasoning'],
    ['Gemini 2.5 Flash Lite Text Input', 'gemini-2.5-flash-lite input'],
    ['Gemini 2.5 Flash GA Text Output (Thinking On)', 'gemini-2.5-flash output'],
    ['Gemini 2.5 Flash Lite Text Output', 'gemini-2.5-flash-lite output'],
    ['Gemini 3.7 Flash Global Text Input - Predictions', 'gemini-3.7-flash input'],
    ['Gemini 3 Flash Text Input Caching', 'gemini-3-flash cacheRead'],
    ['Gemini 3 Flash Text Input Caching Storage', 'storage'],
    ['Claude Opus 5 Input Tokens', 'claude-opus-5 input'],
    ['Claude Haiku 4.5 Output Tokens', 'claude-haiku-4-5 output'],
    ['Flash GA / Lite input caching', null],
    ['Gemini 2.5 Flash GA Text Input Hologram', null],
    ['N2 Instance Core running in Americas', null],
  ])('are read: %s', (name, expected) => {
    expect(short(readVertexSku(name))).toBe(expected);
  });
});

it.each([
  ['Claude4.6Opus', 'us.anthropic.claude-opus-4-6-v1:0', true],
  ['Claude Haiku 4.5', 'claude-haiku-4-5-20251001', true],
  ['openai/gpt-4.1', 'gpt-4.1-2025-04-14', true],
  ['amazon.nova-2-lite-v1:0', 'Nova2.0Lite', true],
  ['claude-3-sonnet', 'Claude3.5Sonnet', false],
  ['gpt-4o', 'gpt-4o-mini', false],
  ['gemini-2.5-flash', 'gemini-2.5-flash-lite', false],
])('%s and %s: the same model is %s', (one, other, isSame) => {
  expect(modelKey(one).base === modelKey(other).base).toBe(isSame);
});
