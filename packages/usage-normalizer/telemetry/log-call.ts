/**
 * Reads model calls from log records: of coding agents, and of the project's own libraries, which send events as log
 * records.
 */
import { parseExactJson } from '#kernel/json/exact-json.ts';
import type { CallFacts } from './call-event.ts';
import { type CallUsage, callUsage, isUsed } from './call-usage.ts';
import { COUNT_ATTRIBUTES } from './count-attributes.ts';
import { UNSPLIT_WRITES } from '../counts/unread-counts.ts';
import { impossibleSides } from '../counts/impossible-counts.ts';
import type { IgnoredReason } from './select-calls.ts';
import { sellerOfClaude } from '../names/seller-of-response.ts';
import { firstCount, firstText, own, type TelemetryRecord } from './telemetry-record.ts';

export type LogReading =
  | { readonly ok: true; readonly usage: CallUsage; readonly facts: CallFacts }
  | { readonly ok: false; readonly reason: IgnoredReason };

/**
 * An agent is a client: the API it uses determines what its counts mean, and the model determines the seller of the
 * call. A record without a request id is identified by its content: the same record sent again is the same event.
 */
export function readLog(record: TelemetryRecord): LogReading {
  const agent = agentOf(record);
  if (agent === null) return { ok: false, reason: 'not_a_call' };
  const usage = agent === 'gemini' ? geminiUsage(record) : callUsage(record);
  if (usage === null || !isUsed(usage)) return { ok: false, reason: 'no_usage' };
  return { ok: true, usage, facts: FACTS[agent](record) };
}

/** Claude Code's spans and log records contain the same data, so a call reported by both is one event. */
export function spanFacts(record: TelemetryRecord): CallFacts {
  return record.name === 'claude_code.llm_request' ? FACTS.claude(record) : {};
}

type Agent = 'claude' | 'codex' | 'gemini';

function agentOf(record: TelemetryRecord): Agent | null {
  const event = firstText(record.attributes, ['event.name']) ?? record.name;
  if (CLAUDE_CODE.has(event) && isOf(record, 'claude')) return 'claude';
  // Gemini CLI, and its fork Qwen Code. They also send a second record that repeats the counts under OpenTelemetry's
  // names.
  if (/^(?:gemini_cli|qwen-code|qwen_code)\.api_response$/.test(event)) return 'gemini';
  const isDone = firstText(record.attributes, ['event.kind']) === 'response.completed';
  return event === 'codex.sse_event' && isDone ? 'codex' : null;
}

const FACTS: Readonly<Record<Agent, (record: TelemetryRecord) => CallFacts>> = {
  /** Anthropic's convention: cached tokens are on top of the counts. */
  claude(record) {
    const { attributes } = record;
    const provider = sellerOfClaude(firstText(attributes, ['model']));
    const request = firstText(attributes, ['request_id']);
    const session = firstText(attributes, ['session.id']) ?? '';
    const speed = firstText(attributes, ['speed']);
    return {
      ...(provider === null ? {} : { provider }),
      key: request === null ? `claude-code:${session}:${fingerprint(record)}` : `anthropic:${request}`,
      convention: 'exclusive',
      event: speed === null ? {} : { speed },
      ...(hasUnsplitWrites(record) ? { more: { [UNSPLIT_WRITES]: true } } : {}),
    };
  },
  /** OpenAI's convention: the counts contain cached tokens. */
  codex(record) {
    const { attributes } = record;
    const conversation = firstText(attributes, ['conversation.id']) ?? '';
    const isOpenAi = OPENAI_MODEL.test(firstText(attributes, ['model']) ?? '');
    return {
      ...(isOpenAi ? { provider: 'openai' } : {}),
      key: `codex:${conversation}:${fingerprint(record)}`,
      convention: 'inclusive',
    };
  },
  /** Google's convention, as passed on by `geminiUsage`. */
  gemini(record) {
    const { attributes } = record;
    const prompt = firstText(attributes, ['response_id', 'prompt_id', 'session.id']) ?? '';
    const isGoogle = /^(?:models\/)?gem(?:ini|ma)/.test(firstText(attributes, ['model']) ?? '');
    return { ...(isGoogle ? { provider: 'google' } : {}), key: `gemini-cli:${prompt}:${fingerprint(record)}` };
  },
};

/** Claude Code writes to the cache for five minutes or for an hour, which costs more, and counts both together. */
function hasUnsplitWrites({ attributes }: TelemetryRecord): boolean {
  const written = firstCount(attributes, COUNT_ATTRIBUTES.cacheWrite) ?? 0;
  return written > 0 && firstCount(attributes, COUNT_ATTRIBUTES.cacheWrite1h) === null;
}

/** OpenAI's own model names, or an empty name: the call was served by OpenAI's API. */
const OPENAI_MODEL = /^(?:$|gpt-(?!oss)|chatgpt|codex|o\d)/;

/** Thoughts are on top of the output, and tool results on top of the input. */
function geminiUsage({ attributes }: TelemetryRecord): CallUsage | null {
  const counts = Object.entries(GEMINI).flatMap(([name, attribute]) => {
    const count = firstCount(attributes, [attribute]);
    return count === null ? [] : [[name, count] as const];
  });
  const raw: Readonly<Record<string, number>> = Object.fromEntries(counts);
  if (counts.every(([, count]) => count === 0)) return null;
  const [input, output] = [raw['promptTokenCount'] ?? 0, raw['candidatesTokenCount'] ?? 0];
  const impossible = impossibleSides(attributes, GEMINI_PATHS);
  return { ...NO_DETAILS, input, output, raw, ...(impossible && { impossible }) };
}

const GEMINI_PATHS = { input: [['input_token_count']], output: [['output_token_count']] };

const GEMINI: Readonly<Record<string, string>> = {
  promptTokenCount: 'input_token_count',
  candidatesTokenCount: 'output_token_count',
  cachedContentTokenCount: 'cached_content_token_count',
  thoughtsTokenCount: 'thoughts_token_count',
  toolUsePromptTokenCount: 'tool_token_count',
  totalTokenCount: 'total_token_count',
};
const NO_DETAILS = {
  cacheRead: null,
  cacheWrite: null,
  cacheWrite1h: null,
  reasoning: null,
  inputAudio: null,
  outputAudio: null,
  total: null,
  convention: null,
  unread: [],
};

/** Log record name for the libraries' `mode: 'otlp'`: a whole usage event as JSON. */
const USAGE_EVENT = 'ai_product_books.usage_event';

/** The event that a library sent as a log record, for `parseUsageEvent`; undefined for any other record. */
export function usageEventOf({ name, attributes }: TelemetryRecord): unknown {
  if (name !== USAGE_EVENT) return undefined;
  const text = own(attributes, USAGE_EVENT);
  try {
    return typeof text === 'string' ? parseExactJson(text) : null;
  } catch {
    return null;
  }
}

const CLAUDE_CODE: ReadonlySet<string> = new Set(['claude_code.api_request', 'api_request']);

function isOf({ name, scope, resource }: TelemetryRecord, word: string): boolean {
  return [name, scope.name, firstText(resource, ['service.name']) ?? ''].some((text) => text.includes(word));
}

const TOLD_APART_BY: readonly string[] = [
  'event.timestamp',
  'event.sequence',
  'duration_ms',
  'input_tokens',
  'output_tokens',
  'input_token_count',
  'output_token_count',
  'cached_token_count',
  'total_token_count',
];

function fingerprint({ attributes, startMs }: TelemetryRecord): string {
  return [startMs, ...TOLD_APART_BY.map((name) => firstText(attributes, [name]) ?? '')].join('-');
}
