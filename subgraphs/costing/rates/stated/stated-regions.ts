/** Regional price factors per model. Entered by hand, to be reviewed by a person (rules in `../stated-rates.ts`). */
import type { IsoSpan } from '#kernel/time/iso-span.ts';

export interface StatedRegion extends IsoSpan {
  readonly provider: string;
  /** Slugs of catalogue cards. */
  readonly models: RegExp;
  /** A value of `*` matches any region. */
  readonly context: string;
  /** Applies to all token classes. */
  readonly factor: string;
  readonly source: string;
  /** Day on which the source was read. */
  readonly date: string;
}

const RESIDENCY =
  'developers.openai.com/api/docs/guides/data-residency: 10 % for models released on or after 2026-03-05';
const AZURE = 'azure.microsoft.com/pricing/details/azure-openai: data zones and regions at 10 % above global';
const CLAUDE = 'platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai: 10 % from Claude Sonnet 4.5 on';
const VERTEX =
  'cloud.google.com/gemini-enterprise-agent-platform/generative-ai/pricing: 10 % for endpoints that are not global';

/** Before this day, regions cost the same as the global endpoint (github.com/BerriAI/litellm/pull/37543). */
const VERTEX_FROM = '2026-07-01';

/** Claude models that cost more in a region than globally. */
export const CLAUDE_4_5_ON = /^claude-(?:(?:opus|sonnet|haiku)-(?:4-[5-9]|[5-9])|fable)/;
const CLAUDE_BEFORE = /^claude-(?:[23]|4-|(?:opus|sonnet)-4-[01])/;

const rows = (
  provider: string,
  context: string,
  source: string,
  ...factors: readonly (readonly [RegExp, string])[]
): StatedRegion[] =>
  factors.map(([models, factor]) => ({ provider, models, context, factor, source, date: '2026-11-26' }));

export const STATED_REGIONS: readonly StatedRegion[] = [
  ...rows(
    'openai',
    'geo=*',
    RESIDENCY,
    [/^gpt-(?:5\.[4-9]|[6-9])/, '1.1'],
    [/^(?:gpt-(?:5(?!\.[4-9])|4)|o\d|text-emb)/, '1'],
  ),
  ...rows('openai', 'region=*', AZURE, [
    /^(?:gpt-(?:4o(?!-2024-05-13)|4\.1|[5-9])|o\d)(?!.*(?:audio|realtime|search))/,
    '1.1',
  ]),
  ...rows('azure', 'region=*', AZURE, [/^o\d/, '1.1']),
  ...rows('x-ai', 'geo=us', 'docs.x.ai/developers/pricing: the US regional endpoint at 1.1x', [
    /^grok-(?!voice)/,
    '1.1',
  ]),
  // Claude models on other hosts, even if Anthropic's own card prices them.
  ...rows('google', 'region=*', CLAUDE, [CLAUDE_4_5_ON, '1.1'], [CLAUDE_BEFORE, '1']),
  ...rows('anthropic', 'region=*', CLAUDE, [CLAUDE_4_5_ON, '1.1'], [CLAUDE_BEFORE, '1']),
  ...rows('google', 'region=*', VERTEX, [/^gemini-[3-9]/, '1.1']).map((row) => ({ ...row, from: VERTEX_FROM })),
  ...rows('google', 'region=*', VERTEX, [/^gemini-[3-9]/, '1']).map((row) => ({ ...row, until: VERTEX_FROM })),
  ...rows('google', 'region=*', VERTEX, [/^gemini-(?:live-)?2/, '1']),
];

/** Context keys by which a provider prices regions. */
export const REGION_KEYS: ReadonlyMap<string, readonly string[]> = new Map(
  [...Map.groupBy(STATED_REGIONS, ({ provider }) => provider)].map(([provider, of]) => [
    provider,
    [...new Set(of.map(({ context }) => context.slice(0, context.indexOf('='))))],
  ]),
);
