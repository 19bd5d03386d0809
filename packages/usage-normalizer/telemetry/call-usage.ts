/** Reads the token usage of a call from a span or log record, under all names that libraries use. */
import { type ImpossibleSides, impossibleSides } from '../counts/impossible-counts.ts';
import { INPUT_PATHS, OUTPUT_PATHS, rawCounts, statesOnlyTotal } from '../counts/raw-counts.ts';
import { countOrNull } from '../counts/value-at.ts';
import type { Convention } from '../counts/usage-shapes.ts';
import { usageOfMetadata } from './ai-sdk-metadata.ts';
import { COUNT_ATTRIBUTES, THOUGHTS_BESIDES } from './count-attributes.ts';
import { langfuseUsage } from './langfuse-usage.ts';
import { type Attributes, firstCount, parsedText, type TelemetryRecord } from './telemetry-record.ts';

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  /** The part of `cacheWrite` that is kept for one hour. */
  readonly cacheWrite1h: number | null;
  readonly reasoning: number | null;
  readonly inputAudio: number | null;
  readonly outputAudio: number | null;
  /** The audio among the cached tokens. */
  readonly cachedAudio?: number | null;
  readonly total: number | null;
}

export interface CallUsage extends TokenCounts {
  /** The provider's own usage object, if the sender passed it on. It takes precedence over attributes. */
  readonly raw: Readonly<Record<string, unknown>> | null;
  /** The convention of the counts, if their names show it; null: it depends on the library. */
  readonly convention: Convention | null;
  /** Names of counts that are not recognized. */
  readonly unread: readonly string[];
  /** True if only a total is stated, which is counted as input. */
  readonly onlyTotal?: boolean;
  /** True if the output is stated, and neither an input that can be read nor a total. */
  readonly noInput?: boolean;
  /** Input and output as sent, if they are not whole numbers, 0 or more. The event is rejected because of them. */
  readonly impossible?: ImpossibleSides;
}

const RAW_PATHS = { input: INPUT_PATHS, output: OUTPUT_PATHS };
const ATTRIBUTE_PATHS = {
  input: COUNT_ATTRIBUTES.input.map((name) => [name]),
  output: COUNT_ATTRIBUTES.output.map((name) => [name]),
};

const RAW_USAGE: readonly string[] = [
  'upstream_raw_response_usage',
  'gen_ai.upstream_raw_response_usage',
  'trace.metadata.openrouter.upstream_raw_response_usage',
  'langfuse.observation.usage_details',
  'ai.response.usage',
  'ai.usage',
  // Langtrace's first versions, and MLflow.
  'llm.token.counts',
  'mlflow.chat.tokenUsage',
  // Logfire: taken from the response.
  'response_data.usage',
];

/**
 * Null if the record has no token counts. If it is a call, counts under the names of an unknown library are read as a
 * last resort: they are listed in `unread`, so its cost is a guess. So is a lone total of a model with output.
 */
export function callUsage({ attributes }: TelemetryRecord, isCall = false): CallUsage | null {
  const details = parsedText(attributes, 'langfuse.observation.usage_details');
  const langfuse = langfuseUsage(details);
  if (langfuse !== null && langfuse.counts.input + langfuse.counts.output > 0)
    return { ...langfuse.counts, raw: null, convention: 'inclusive', unread: langfuse.unread };
  const find = (name: keyof typeof COUNT_ATTRIBUTES) => firstCount(attributes, COUNT_ATTRIBUTES[name]);
  const [input, output, cacheRead] = [find('input'), find('output'), find('cacheRead')];
  const raw = rawUsage(attributes, { input, output, cacheRead });
  const isMissing = raw === null && input === null && output === null;
  const alike = isMissing && isCall ? countsAlike(attributes) : NO_COUNTS;
  const total = find('total') ?? countOrNull(details['total']);
  // For embeddings, some libraries state only a total, or a total and zeros.
  const hasOnlyTotal = isCall && raw === null && !input && !output && alike.names.length === 0 && (total ?? 0) > 0;
  const impossible = raw === null ? impossibleSides(attributes, ATTRIBUTE_PATHS) : impossibleSides(raw, RAW_PATHS);
  if (isMissing && alike.names.length === 0 && !hasOnlyTotal && !(isCall && impossible)) return null;
  const stated = hasOnlyTotal ? { input: total, output: null } : isMissing ? alike : { input, output };
  const hasOnlyOutput = raw === null && stated.input === null && (output ?? 0) > 0;
  const noInput = hasOnlyOutput && (total ?? 0) <= (output ?? 0);
  const counts = raw === null ? stated : rawCounts(raw);
  // A count that cannot be read is derived from a total.
  const isDerived = hasOnlyOutput ? !noInput : counts.input !== null && counts.output !== null;
  const thoughts = firstCount(attributes, [THOUGHTS_BESIDES]);
  return {
    input: counts.input ?? (hasOnlyOutput ? Math.max((total ?? 0) - (output ?? 0), 0) : 0),
    output: (counts.output ?? 0) + (raw === null ? (thoughts ?? 0) : 0),
    cacheRead,
    cacheWrite: find('cacheWrite'),
    cacheWrite1h: find('cacheWrite1h'),
    reasoning: find('reasoning') ?? thoughts,
    inputAudio: find('inputAudio'),
    outputAudio: find('outputAudio'),
    cachedAudio: find('cachedAudio'),
    total,
    raw,
    convention: null,
    unread: isMissing ? alike.names : raw === null ? unreadAttributes(attributes) : [],
    onlyTotal: raw === null ? hasOnlyTotal : statesOnlyTotal(raw),
    noInput,
    ...(impossible && !isDerived ? { impossible } : {}),
  };
}

interface CountsAlike {
  readonly input: number | null;
  readonly output: number | null;
  readonly names: readonly string[];
}

const NO_COUNTS: CountsAlike = { input: null, output: null, names: [] };
const ALIKE = {
  input: /(?:^|[._])(?:input|prompt)_?tokens?(?:_?count)?$/i,
  output: /(?:^|[._])(?:output|completion)_?tokens?(?:_?count)?$/i,
};
const NO_COUNT = /max|min|limit|budget|cost|price|rate/i;

/** For input and output, the only attribute whose name has the ending of a count's name. */
function countsAlike(attributes: Attributes): CountsAlike {
  const named = Object.keys(attributes).filter(
    (name) => !NO_COUNT.test(name) && !READ.has(name) && firstCount(attributes, [name]) !== null,
  );
  const only = (side: keyof typeof ALIKE) => {
    const found = named.filter((name) => ALIKE[side].test(name));
    return found.length === 1 ? found : [];
  };
  const [input, output] = [only('input'), only('output')];
  return { input: firstCount(attributes, input), output: firstCount(attributes, output), names: [...input, ...output] };
}

/** True if anything was used: a span with only zeros is not a billed call. */
export function isUsed({ input, output, cacheRead, cacheWrite, raw, impossible }: CallUsage): boolean {
  const isCounted = input > 0 || output > 0 || (cacheRead ?? 0) > 0 || (cacheWrite ?? 0) > 0;
  return isCounted || raw !== null || impossible !== undefined;
}

/** All attributes about usage, as sent, so that they can be interpreted again later. */
export function usageAttributes(attributes: Attributes): Attributes {
  return Object.fromEntries(
    Object.entries(attributes).filter(([name, value]) => USAGE_NAME.test(name) && typeof value !== 'boolean'),
  );
}

const USAGE_NAME = /usage|token_count|_tokens$|tokens\.(?:cached|reasoning)$/i;

/** Attributes that count tokens under names that are not recognized. Empty for almost every record. */
function unreadAttributes(attributes: Attributes): readonly string[] {
  return Object.keys(attributes).filter(
    (name) =>
      TOKEN_COUNT.test(name) && !READ.has(name) && !REPEATED.test(name) && (firstCount(attributes, [name]) ?? 0) > 0,
  );
}

const TOKEN_COUNT = /^(?:(?:gen_ai|llm|ai)\.usage|llm\.token_count)\..*(?:token|cache)/i;
const READ: ReadonlySet<string> = new Set([...Object.values(COUNT_ATTRIBUTES).flat(), THOUGHTS_BESIDES]);
/** Parts of a count that is already read, and Pydantic AI's copy of the provider's own counts. */
const REPEATED = /\.details\.|prediction|text|no_?cache|image|video|raw/i;

function rawUsage(
  attributes: Attributes,
  counts: Pick<CallUsage, 'cacheRead'> & Readonly<Record<'input' | 'output', number | null>>,
): Readonly<Record<string, unknown>> | null {
  for (const name of RAW_USAGE) {
    const usage = parsedText(attributes, name);
    if (hasCounts(usage)) return usage;
  }
  const details = detailsOfLangchain(attributes);
  if (details !== null) return { input_tokens: counts.input, output_tokens: counts.output ?? 0, ...details };
  const isDetailed = Object.keys(attributes).some((name) => name.startsWith(AI_SDK_DETAILS));
  return usageOfMetadata(parsedText(attributes, PROVIDER_METADATA), { ...counts, isDetailed });
}

const LANGCHAIN_DETAILS: readonly string[] = ['input_token_details', 'output_token_details'];

/** LangSmith's exporter passes on the details of LangChain's counts as JSON. Null if there are none. */
function detailsOfLangchain(attributes: Attributes): Readonly<Record<string, unknown>> | null {
  const found = LANGCHAIN_DETAILS.map((name) => [name, parsedText(attributes, `gen_ai.usage.${name}`)] as const);
  const details = found.filter(([, counts]) => Object.keys(counts).length > 0);
  return details.length === 0 ? null : Object.fromEntries(details);
}

/** The AI SDK reports these details from version 6 on. */
export const AI_SDK_DETAILS = 'ai.usage.inputTokenDetails.';
export const PROVIDER_METADATA = 'ai.response.providerMetadata';

/** True if it is a usage object with at least one count. */
export function hasCounts(usage: Readonly<Record<string, unknown>>): boolean {
  const { input, output } = rawCounts(usage);
  return (input ?? 0) > 0 || (output ?? 0) > 0;
}
