/** Fees for tools that providers run, if the catalogue omits them (rules in `../stated-rates.ts`). */
import { type Money, money } from '#kernel/money.ts';
import { type IsoSpan, isWithinSpan } from '#kernel/time/iso-span.ts';

/** `from` and `until` are set if the provider began or ceased to charge the fee. */
export interface StatedFee extends IsoSpan {
  readonly provider: string;
  /** Slugs of catalogue cards. */
  readonly models: RegExp;
  /** USD per unit, by unit name. */
  readonly fees: Readonly<Record<string, string>>;
  readonly source: string;
  /** Day on which the source was read. */
  readonly date: string;
}

const OPENAI_PAGE = 'developers.openai.com/api/docs/pricing: built-in tools';
const GEMINI_PAGE = 'ai.google.dev/gemini-api/docs/pricing';

export const STATED_FEES: readonly StatedFee[] = [
  {
    provider: 'openai',
    models: /^(?:gpt-(?:4o|4\.1|5|6)|o\d|computer-use|codex)(?!.*(?:audio|realtime|transcribe|tts|image))/,
    fees: {
      web_searches: '0.01',
      storage_searches: '0.0025',
      code_sessions: '0.03',
      code_sessions_4g: '0.12',
      code_sessions_16g: '0.48',
      code_sessions_64g: '1.92',
    },
    source: OPENAI_PAGE,
    date: '2026-11-26',
  },
  {
    provider: 'openai',
    models: /^(?:gpt-(?:5|6)|o\d)(?!.*(?:audio|realtime|transcribe|tts|image))/,
    fees: { web_search_previews: '0.01' },
    source: `${OPENAI_PAGE}, web search preview with reasoning models`,
    date: '2026-11-26',
  },
  {
    provider: 'openai',
    models: /^gpt-(?:4o|4\.1)(?!.*(?:audio|realtime|transcribe|tts|image))/,
    fees: { web_search_previews: '0.025' },
    source: `${OPENAI_PAGE}, web search preview with other models`,
    date: '2026-11-26',
  },
  {
    provider: 'google',
    models: /^gemini-(?:[3-9]|\d\d)/,
    fees: { search_queries: '0.014' },
    source: `${GEMINI_PAGE}: grounding with Google Search, by the query`,
    date: '2026-11-26',
  },
  {
    provider: 'google',
    models: /^gemini-(?:live-)?2/,
    fees: { grounded_prompts: '0.035', maps_prompts: '0.025' },
    source: `${GEMINI_PAGE}: grounding with Google Search and Google Maps, by the prompt`,
    date: '2026-11-26',
  },
  {
    provider: 'x-ai',
    models: /^grok-(?!voice)/,
    fees: {
      web_searches: '0.005',
      x_searches: '0.005',
      code_executions: '0.005',
      attachment_searches: '0.01',
      storage_searches: '0.0025',
    },
    source: 'docs.x.ai/developers/pricing: tool invocation costs',
    date: '2026-11-26',
  },
];

function feesOf(provider: string, modelSlug: string, fees: readonly StatedFee[]): readonly StatedFee[] {
  return fees.filter((row) => row.provider === provider && row.models.test(modelSlug));
}

/** The periods in which a card has fees. */
export function feeSpans(provider: string, modelSlug: string, fees = STATED_FEES): IsoSpan[] {
  return feesOf(provider, modelSlug, fees).filter(({ from, until }) => (from ?? until) !== undefined);
}

/** USD per unit, by name, at an instant. */
export function statedFees(
  provider: string,
  modelSlug: string,
  atMs: number,
  stated = STATED_FEES,
): Readonly<Record<string, Money>> {
  const rows = feesOf(provider, modelSlug, stated).filter((row) => isWithinSpan(row, atMs));
  return Object.fromEntries(rows.flatMap(({ fees }) => Object.entries(fees)).map(([name, fee]) => [name, money(fee)]));
}
