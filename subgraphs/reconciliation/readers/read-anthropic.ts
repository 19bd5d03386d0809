/**
 * Anthropic: the Usage and Cost Analytics API, the older cost and usage reports, and the console's CSV of costs and of
 * tokens. Amounts of the APIs are fractional cents.
 */
import { isFields } from '#kernel/json/json-field.ts';
import type { Fields } from '#kernel/json/json-object.ts';
import { quantity } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import { type BillLine, billLine, type LineKind, type LineMeaning } from '../lines/bill-line.ts';
import { readAmount, readQuantity } from '../lines/decimals.ts';
import { dayOf } from '#kernel/time/utc-day.ts';
import { daysOf, readInstant } from '../lines/read-instant.ts';
import { contextOf } from '../rules/context-text.ts';
import type { BillReader } from './bill-reader.ts';
import { objectsIn, textOf } from './json-values.ts';
import { scopesOf } from './scopes-of.ts';

const CENTS = quantity(100);

/** The APIs print cents with four decimals; the console rounds to whole cents. */
const DIGITS = 6;

const TOKEN_TYPES: Readonly<Record<string, TokenClass>> = {
  uncached_input_tokens: 'input',
  input_tokens: 'input',
  output_tokens: 'output',
  cache_read_input_tokens: 'cacheRead',
  'cache_creation.ephemeral_5m_input_tokens': 'cacheCreation',
  'cache_creation.ephemeral_1h_input_tokens': 'cacheCreation1h',
  ephemeral_5m_input_tokens: 'cacheCreation',
  ephemeral_1h_input_tokens: 'cacheCreation1h',
  // The console's names.
  input_no_cache: 'input',
  input_cache_read: 'cacheRead',
  input_cache_write_5m: 'cacheCreation',
  input_cache_write_1h: 'cacheCreation1h',
  output: 'output',
};

const COST_TYPES: Readonly<Record<string, LineKind>> = {
  code_execution: 'code_execution',
  session_usage: 'session',
};

interface Served {
  readonly tier: string | null;
  readonly speed: string | null;
  readonly geo: string | null;
  readonly contextWindow: string | null;
  readonly description: string | null;
}

function contextOfServed({ tier, speed, geo, contextWindow, description }: Served): string {
  const isFast = speed === 'fast' || /\(fast\)/i.test(description ?? '');
  return contextOf({
    geo: geo === null || geo === 'global' || geo === 'not_available' ? null : geo,
    size: contextWindow !== null && /^(?:200k-1m|>\s*200k)$/i.test(contextWindow) ? 'long' : null,
    speed: isFast ? 'fast' : null,
    tier: tier === null || tier === 'standard' ? null : tier,
  });
}

function servedOf(row: Fields): Served {
  return {
    tier: textOf(row['service_tier']),
    speed: textOf(row['speed']),
    geo: textOf(row['inference_geo']),
    contextWindow: textOf(row['context_window']),
    description: textOf(row['description']),
  };
}

function costMeaning(
  costType: string | null,
  tokenType: string | null,
  model: string | null,
  served: Served,
): LineMeaning | null {
  const base = { rule: 'anthropic.report', verified: true, model, context: contextOfServed(served), per: 1 };
  const other = COST_TYPES[costType ?? ''];
  if (other !== undefined) return { ...base, kind: other, tokenClass: null, unit: null };
  if (costType === 'web_search') return { ...base, kind: 'usage', model: null, tokenClass: null, unit: 'searches' };
  const tokenClass = tokenType === null ? undefined : TOKEN_TYPES[tokenType];
  if (tokenClass === undefined || model === null) return null;
  return { ...base, kind: 'usage', tokenClass, unit: 'tokens' };
}

/** Buckets of the reports, and items of the Analytics API. */
export function anthropicReader(): BillReader {
  let isAnalytics = false;
  return {
    matches: (item) =>
      (isFields(item['cost']) && isFields(item['group'])) ||
      (textOf(item['starting_at']) !== null && Array.isArray(item['results'])),
    *read(bucket) {
      const end = bucket['ending_at'] ?? null;
      const period = daysOf(
        readInstant(bucket['starting_at'], 'starting_at'),
        end === null ? null : readInstant(end, 'ending_at'),
      );
      if (isFields(bucket['group'])) isAnalytics = true;
      for (const row of rowsOf(bucket)) {
        if ('list_amount' in row) isAnalytics = true;
        if ('amount' in row) yield costLine(row, period);
        else yield* usageLines(row, period);
      }
    },
    source: () => (isAnalytics ? 'anthropic.analytics' : 'anthropic.cost_report'),
  };
}

/** Reports have rows in `results`; the Analytics API separates a row's values from its group. */
function* rowsOf(bucket: Fields): Generator<Fields> {
  const { results } = bucket;
  for (const row of Array.isArray(results) ? objectsIn(results) : [bucket]) yield withGroup(row);
}

function withGroup(row: Fields): Fields {
  const [group, cost, usage] = [row['group'], row['cost'], row['usage']];
  return {
    ...row,
    ...(isFields(usage) ? usage : {}),
    ...(isFields(cost) ? cost : {}),
    ...(isFields(group) ? group : {}),
  };
}

function anthropicScopes(row: Fields): string[] {
  return scopesOf({ workspace: textOf(row['workspace_id']), key: textOf(row['api_key_id']) });
}

function costLine(row: Fields, period: { day: string; lastDay: string }): BillLine {
  const net = readAmount(row['amount'], 'amount')?.div(CENTS) ?? null;
  const list = readAmount(row['list_amount'], 'list_amount')?.div(CENTS) ?? null;
  const model = textOf(row['model']);
  const [costType, tokenType] = [textOf(row['cost_type']), textOf(row['token_type'])];
  const served = servedOf(row);
  return billLine({
    ...period,
    label: served.description ?? ([model, tokenType ?? costType].filter((text) => text !== null).join(' ') || 'total'),
    provider: 'anthropic',
    meaning: costMeaning(costType, tokenType, model, served),
    list,
    discount: list === null || net === null ? null : net.minus(list),
    net,
    currency: (textOf(row['currency']) ?? 'USD').toUpperCase(),
    scopes: anthropicScopes(row),
    digits: DIGITS,
  });
}

function usageLines(row: Fields, period: { day: string; lastDay: string }): BillLine[] {
  const creation = isFields(row['cache_creation']) ? row['cache_creation'] : {};
  const tools = isFields(row['server_tool_use']) ? row['server_tool_use'] : {};
  const counts: Readonly<Record<string, unknown>> = {
    uncached_input_tokens: row['uncached_input_tokens'],
    output_tokens: row['output_tokens'],
    cache_read_input_tokens: row['cache_read_input_tokens'],
    ephemeral_5m_input_tokens: creation['ephemeral_5m_input_tokens'],
    ephemeral_1h_input_tokens: creation['ephemeral_1h_input_tokens'],
  };
  const model = textOf(row['model']);
  const common = {
    ...period,
    provider: 'anthropic',
    currency: 'USD',
    scopes: anthropicScopes(row),
    part: 'usage' as const,
  };
  const lines = Object.entries(counts).flatMap(([name, value]) => {
    const counted = readQuantity(value, name);
    const meaning = costMeaning('tokens', name, model, servedOf(row));
    return counted === null || counted.isZero()
      ? []
      : [billLine({ ...common, label: [model, name].join(' ').trim(), meaning, quantity: counted })];
  });
  const searches = readQuantity(tools['web_search_requests'], 'web_search_requests');
  if (searches === null || searches.isZero()) return lines;
  const meaning = costMeaning('web_search', null, null, servedOf(row));
  return [...lines, billLine({ ...common, label: 'web_search_requests', meaning, quantity: searches })];
}

/** The console's CSV files. */
export function anthropicTableReader(): BillReader {
  return {
    matches: (row) => 'usage_date_utc' in row && ('cost_usd' in row || 'usage_output_tokens' in row),
    read: readTableRow,
    source: () => 'anthropic.cost_report',
  };
}

const CONSOLE_COUNTS: Readonly<Record<string, string>> = {
  usage_input_tokens_no_cache: 'input_no_cache',
  usage_input_tokens_cache_write_5m: 'input_cache_write_5m',
  usage_input_tokens_cache_write_1h: 'input_cache_write_1h',
  usage_input_tokens_cache_read: 'input_cache_read',
  usage_output_tokens: 'output',
};

/** `usage_type` is `message` in cost files and the tier in token files. */
const CONSOLE_TIERS = new Set(['batch', 'priority', 'flex']);

function readTableRow(row: Fields): BillLine[] {
  const day = dayOf(readInstant(row['usage_date_utc'], 'usage_date_utc'));
  const usageType = textOf(row['usage_type'])?.toLowerCase() ?? null;
  const served: Served = {
    ...servedOf(row),
    tier: usageType !== null && CONSOLE_TIERS.has(usageType) ? usageType : null,
  };
  const common = {
    day,
    provider: 'anthropic',
    currency: 'USD',
    scopes: scopesOf({
      workspace: textOf(row['workspace']),
      key: textOf(row['api_key_id']) ?? textOf(row['api_key']),
    }),
  };
  const model = textOf(row['model'] ?? row['model_version']);
  if ('cost_usd' in row) {
    const net = readAmount(row['cost_usd'], 'cost_usd');
    const list = readAmount(row['list_price_usd'], 'list_price_usd');
    const costType = textOf(row['cost_type'])?.replace(/^token$/, 'tokens') ?? 'tokens';
    const tokenType = textOf(row['token_type']);
    return [
      billLine({
        ...common,
        label: [model, tokenType ?? costType].filter((text) => text !== null).join(' '),
        meaning: costMeaning(costType, tokenType, model, served),
        list,
        discount: list === null || net === null ? null : net.minus(list),
        net,
      }),
    ];
  }
  return Object.entries(CONSOLE_COUNTS).flatMap(([column, tokenType]) => {
    const counted = readQuantity(row[column], column);
    return counted === null || counted.isZero()
      ? []
      : [
          billLine({
            ...common,
            part: 'usage',
            label: [model, tokenType].join(' ').trim(),
            meaning: costMeaning('tokens', tokenType, model, served),
            quantity: counted,
          }),
        ];
  });
}
