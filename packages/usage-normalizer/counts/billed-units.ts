/**
 * Finds an event's counts of units besides tokens that providers bill (searches, containers, images), and those without
 * a price.
 */
import { ONE, type Quantity, quantity } from '#kernel/money.ts';
import { parseAmount } from '#kernel/parse-amount.ts';
import type { UsageSource } from './usage-sources.ts';
import { valueAt } from './value-at.ts';

type Path = readonly string[];
type Metadata = Readonly<Record<string, unknown>> | null | undefined;

/** Counts that a sender took from the body of a response, by the names below (`packages/usage-normalizer/counts/count-billed-tools.ts`). */
const BILLED_TOOLS = 'billed_tools';

/**
 * Paths of the providers' own counts, by the name under which a rate card prices them. `metadata.<name>` also counts,
 * and takes precedence.
 */
const PATHS: Readonly<Record<string, readonly Path[]>> = {
  web_searches: [
    ['server_tool_use', 'web_search_requests'],
    ['num_search_queries'],
    ['tool_usage', 'web_search', 'num_requests'],
    ['server_side_tool_usage_details', 'web_search_calls'],
    ['tool_calls_details', 'search_web', 'invocation'],
    ['connectors', 'web_search'],
    ['prompt_tokens_details', 'web_search_requests'],
    ['plugins', 'search', 'count'],
  ],
  web_search_previews: [],
  search_queries: [],
  grounded_prompts: [],
  maps_prompts: [],
  retrieval_prompts: [],
  x_searches: [['server_side_tool_usage_details', 'x_search_calls']],
  storage_searches: [
    ['server_side_tool_usage_details', 'file_search_calls'],
    ['server_side_tool_usage_details', 'collections_search_calls'],
  ],
  attachment_searches: [
    ['server_side_tool_usage_details', 'document_search_calls'],
    ['server_side_tool_usage_details', 'attachment_search_calls'],
  ],
  premium_searches: [['connectors', 'web_search_premium']],
  code_executions: [
    ['server_tool_use', 'code_execution_requests'],
    ['server_side_tool_usage_details', 'code_interpreter_calls'],
    ['server_side_tool_usage_details', 'code_execution_calls'],
    ['connectors', 'code_interpreter'],
  ],
  code_sessions: [],
  code_sessions_4g: [],
  code_sessions_16g: [],
  code_sessions_64g: [],
  generated_images: [['connectors', 'image_generation']],
  generated_videos: [],
  speech_requests: [],
  transcriptions: [],
  page_fetches: [['tool_calls_details', 'fetch_url', 'invocation']],
  search_sources: [['num_sources_used']],
  search_units: [['search_units']],
  server_tools: [['num_server_side_tools_used']],
};

/** Names for the same fee: providers bill a search per call, per distinct query of a response, or per prompt. */
const SAME_FEE = ['web_searches', 'search_queries', 'grounded_prompts'];

/** Names of all units. */
export const BILLED_UNITS: readonly string[] = Object.keys(PATHS);

/** First keys of the paths above, and the unit names. */
export const BILLED_UNIT_KEYS: readonly string[] = [
  ...Object.entries(PATHS).flatMap(([name, places]) => [name, ...places.flatMap(([key]) => key ?? [])]),
  BILLED_TOOLS,
];

const KEYS: ReadonlySet<string> = new Set(BILLED_UNIT_KEYS);

export type UnitHolder = Readonly<Record<string, unknown>>;

/** Objects in which an event may count units, the top level before metadata; empty for almost every event. */
export function unitHolders(metadata: Metadata, sources: readonly UsageSource[]): readonly UnitHolder[] {
  const holders: UnitHolder[] = [];
  for (const { fields } of sources) if (hasUnit(fields)) holders.push(fields);
  if (metadata && hasUnit(metadata)) holders.push(metadata);
  return holders;
}

function hasUnit(holder: UnitHolder): boolean {
  for (const key in holder) if (KEYS.has(key)) return true;
  return false;
}

/** True for a unit that providers' usage objects count under known names. */
export function isBilledUnit(name: string): boolean {
  return Object.hasOwn(PATHS, name);
}

/** Null if not reported. A provider's usage object takes precedence over counts from the response body. */
export function billedUnitCount(name: string, holders: readonly UnitHolder[]): Quantity | null {
  if (holders.length === 0) return null;
  const own = ownCount(name, holders);
  if (own !== null || !SAME_FEE.includes(name)) return own;
  for (const other of SAME_FEE) {
    const count = other === name ? null : ownCount(other, holders);
    if (count !== null) return name === 'grounded_prompts' && count.gt(1) ? ONE : count;
  }
  return null;
}

function ownCount(name: string, holders: readonly UnitHolder[]): Quantity | null {
  const places = PATHS[name] ?? [];
  return firstAmount(holders, [[name], ...places]) ?? firstAmount(holders, [[BILLED_TOOLS, name]]);
}

function firstAmount(holders: readonly UnitHolder[], places: readonly Path[]): Quantity | null {
  for (const holder of holders) {
    for (const place of places) {
      const count = amountOrNull(valueAt(holder, place));
      if (count !== null) return count;
    }
  }
  return null;
}

/** Units that the event counts and that are not in `names`, i.e. not priced by the card. */
export function unpricedUnits(names: readonly string[], holders: readonly UnitHolder[]): readonly string[] {
  if (holders.length === 0) return [];
  const counted = BILLED_UNITS.filter((name) => ownCount(name, holders)?.gt(0) === true);
  const priced = names.some((name) => SAME_FEE.includes(name)) ? [...names, ...SAME_FEE] : names;
  // The total number of tools repeats the numbers counted by kind.
  return counted.filter((name) => !priced.includes(name) && (name !== UNKNOWN_TOOLS || counted.length === 1));
}

const UNKNOWN_TOOLS = 'server_tools';

/** A decimal, 0 or more; null for any other value. */
export function amountOrNull(value: unknown): Quantity | null {
  const text = parseAmount(value);
  return text === null ? null : quantity(text);
}
