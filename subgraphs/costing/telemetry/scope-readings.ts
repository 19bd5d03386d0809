/**
 * What the counts of a library mean. The same name has several meanings: of some version on a library counts cached tokens into its
 * input. Facts are from the libraries' own sources and change logs; a library that is not here is not believed (decision 41).
 */
import type { Convention } from '../pricing/usage-shape.ts';
import { own, type TelemetryRecord } from './telemetry-record.ts';

interface ScopeReading {
  readonly scope: RegExp;
  /** From this version on; the rows of a scope begin with the newest. */
  readonly since?: string;
  /** `provider`: as the provider's own API counts. */
  readonly convention: Convention | 'provider';
}

export const SCOPE_READINGS: readonly ScopeReading[] = [
  // openllmetry: Python adds cached tokens up, JavaScript passes Anthropic's own counts on.
  { scope: /^opentelemetry\.instrumentation\.anthropic$/, convention: 'inclusive' },
  {
    scope: /^opentelemetry\.instrumentation\.(?:openai|openai_v2|cohere|mistralai|groq)(?:\.|$)/,
    convention: 'inclusive',
  },
  { scope: /^@traceloop\/instrumentation-anthropic$/, convention: 'provider' },
  { scope: /^@traceloop\/instrumentation-openai$/, convention: 'inclusive' },
  // openinference: "include cache tokens in prompt tokens for anthropic" is 0.1.14.
  { scope: /^openinference\.instrumentation\.anthropic$/, since: '0.1.14', convention: 'inclusive' },
  { scope: /^openinference\.instrumentation\.anthropic$/, convention: 'exclusive' },
  { scope: /^openinference\.instrumentation\.openai(?:_agents)?$/, convention: 'inclusive' },
  { scope: /^@arizeai\/openinference-instrumentation-(?:openai|anthropic)$/, convention: 'inclusive' },
  { scope: /^@opentelemetry\/instrumentation-openai$/, convention: 'inclusive' },
  // Gateways and frameworks that bring every provider's counts to one form.
  { scope: /^litellm$/, convention: 'inclusive' },
  { scope: /^pydantic-ai$/, convention: 'inclusive' },
  { scope: /^openrouter$/, convention: 'inclusive' },
  // The tracer of the AI SDK from version 7 on: @ai-sdk/otel.
  { scope: /^(?:gen_ai|@ai-sdk\/otel)$/, convention: 'inclusive' },
];

/** The semantic conventions count cached tokens into the input from this version on. */
const INCLUSIVE_SCHEMA = '1.40.0';
const SCHEMA = /\/schemas\/(\d+\.\d+\.\d+)$/;

/** Null: nothing tells. */
export function scopeReading({ scope, attributes, name }: TelemetryRecord): Convention | 'provider' | null {
  if (scope.name === 'ai' || name.startsWith('ai.')) {
    // The Vercel AI SDK tells no version: it has details of the input since 6, which counts everything; before, providers' own counts.
    const hasDetails = Object.keys(attributes).some((key) => key.startsWith('ai.usage.inputTokenDetails.'));
    return hasDetails ? 'inclusive' : 'provider';
  }
  if (name === 'LLM Generation' && own(attributes, 'gen_ai.usage.total_tokens') !== undefined) return 'inclusive';
  for (const row of SCOPE_READINGS) {
    if (!row.scope.test(scope.name)) continue;
    if (row.since === undefined || isAtLeast(scope.version, row.since)) return row.convention;
  }
  const schema = SCHEMA.exec(scope.schemaUrl)?.[1];
  return schema !== undefined && isAtLeast(schema, INCLUSIVE_SCHEMA) ? 'inclusive' : null;
}

/** A version that is no row of numbers is before every other. */
function isAtLeast(version: string, least: string): boolean {
  const parts = numbersOf(version);
  const wanted = numbersOf(least);
  for (let at = 0; at < 3; at++) {
    const difference = (parts[at] ?? -1) - (wanted[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbersOf(version: string): number[] {
  const match = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?/.exec(version);
  return match === null ? [] : match.slice(1).map((part) => Number(part ?? 0));
}
