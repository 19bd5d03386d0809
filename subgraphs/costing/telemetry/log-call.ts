/** Log records that tell of a call to a model: of coding agents (Claude Code, Codex), and events that the project's own libraries send so. */
import { parseExactJson } from '../../../kernel/exact-json.ts';
import type { CallFacts } from './call-event.ts';
import { type CallUsage, callUsage, isUsed } from './call-usage.ts';
import type { IgnoredReason } from './select-calls.ts';
import { firstText, own, type TelemetryRecord } from './telemetry-record.ts';

export type LogReading =
  | { readonly ok: true; readonly usage: CallUsage; readonly facts: CallFacts }
  | { readonly ok: false; readonly reason: IgnoredReason };

/**
 * Claude Code tells Anthropic's own counts, to which cached tokens come on top; Codex OpenAI's, which hold them. A record without the id of
 * the request is known by what it says: the same record sent again is the same event.
 */
export function readLog(record: TelemetryRecord): LogReading {
  const { attributes } = record;
  const event = firstText(attributes, ['event.name']) ?? record.name;
  const usage = callUsage(record);
  if (CLAUDE_CODE.has(event) && isOf(record, 'claude')) {
    if (usage === null || !isUsed(usage)) return { ok: false, reason: 'no_usage' };
    const request = firstText(attributes, ['request_id']);
    const session = firstText(attributes, ['session.id']) ?? '';
    const key = request === null ? `claude-code:${session}:${fingerprint(record)}` : `anthropic:${request}`;
    return { ok: true, usage, facts: { provider: 'anthropic', key, convention: 'exclusive' } };
  }
  if (event === 'codex.sse_event') {
    if (firstText(attributes, ['event.kind']) !== 'response.completed') return { ok: false, reason: 'not_a_call' };
    if (usage === null || !isUsed(usage)) return { ok: false, reason: 'no_usage' };
    const conversation = firstText(attributes, ['conversation.id']) ?? '';
    const key = `codex:${conversation}:${fingerprint(record)}`;
    return { ok: true, usage, facts: { provider: 'openai', key, convention: 'inclusive' } };
  }
  return { ok: false, reason: 'not_a_call' };
}

/** The libraries' `mode: 'otlp'`: a whole usage event as JSON. */
const USAGE_EVENT = 'ai_product_books.usage_event';

/** The event that a library sent as a log record, for `parseUsageEvent`; undefined: the record is another's. */
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

function fingerprint({ attributes, startMs }: TelemetryRecord): string {
  const parts = ['event.timestamp', 'event.sequence', 'duration_ms', 'input_tokens', 'output_tokens'];
  const codex = ['input_token_count', 'output_token_count', 'cached_token_count'];
  return [startMs, ...[...parts, ...codex].map((name) => firstText(attributes, [name]) ?? '')].join('-');
}
