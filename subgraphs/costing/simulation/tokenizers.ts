/**
 * Estimates how many tokens a text has for another model. Providers publish no conversion, and it depends on the text,
 * so this is a range. Within a family the counts are the same.
 */

interface TokenizerFamily {
  readonly name: string;
  readonly models: RegExp;
  /** Tokens for a text with a thousand tokens in OpenAI's o200k_base: lowest, typical and highest. */
  readonly perThousand: readonly [low: number, expected: number, high: number];
  readonly source: string;
}

const MEASURED =
  'comparisons of token counts of the same texts, 5 to 15 % apart for English prose, up to 30 % for code and other languages (devutilhub.dev/blog/token-counters-compared-gpt-claude-gemini, wildandfreetools.com/blog/why-gpt-claude-gemini-tokenize-text-differently; 2026-11-22)';

/** The first match is used. */
const FAMILIES: readonly TokenizerFamily[] = [
  {
    name: 'o200k_base',
    models: /^(?:chatgpt-4o|gpt-(?:4o|4\.1|4\.5|[5-9]|oss)|o[1-9](?:-|$)|codex)/,
    perThousand: [1_000, 1_000, 1_000],
    source: 'github.com/openai/tiktoken, model.py, 2026-11-22',
  },
  {
    name: 'cl100k_base',
    models: /^(?:gpt-(?:4|3\.5)|text-embedding)/,
    perThousand: [1_000, 1_080, 1_400],
    source: MEASURED,
  },
  {
    name: 'claude since Opus 4.7',
    models: /^claude-(?:[a-z]+-4[-.][7-9]|[a-z]+-[5-9])/,
    perThousand: [1_000, 1_500, 1_750],
    source:
      "1.0 to 1.35 times the tokens of earlier Claude models by Anthropic's release notes, 1.33 on real content (claudecodecamp.com/p/i-measured-claude-4-7-s-new-tokenizer-here-s-what-it-costs-you, 2026-11-22)",
  },
  { name: 'claude before Opus 4.7', models: /^claude/, perThousand: [1_000, 1_150, 1_300], source: MEASURED },
  { name: 'gemini', models: /^gemini/, perThousand: [850, 1_000, 1_150], source: MEASURED },
];

const OTHER = { perThousand: [800, 1_000, 1_300] as const, source: MEASURED };

/** Factors for token counts: numerators over a common denominator. */
export interface TokenRatio {
  readonly low: TokenFactor;
  readonly expected: TokenFactor;
  readonly high: TokenFactor;
  readonly source: string;
}

interface TokenFactor {
  readonly times: bigint;
  readonly by: bigint;
}

/** Null if both models count alike. A model of no known family is a family of its own. */
export function tokenRatio(from: string, to: string): TokenRatio | null {
  const [one, other] = [familyOf(from), familyOf(to)];
  if (one === null && other === null ? from === to : one === other) return null;
  const [lowOf, expectedOf, highOf] = (one ?? OTHER).perThousand;
  const [low, expected, high] = (other ?? OTHER).perThousand;
  const factor = (times: number, by: number) => ({ times: BigInt(times), by: BigInt(by) });
  return {
    low: factor(low, highOf),
    expected: factor(expected, expectedOf),
    high: factor(high, lowOf),
    source: [...new Set([(one ?? OTHER).source, (other ?? OTHER).source])].join('; '),
  };
}

function familyOf(model: string): TokenizerFamily | null {
  const name = model.toLowerCase().split('/').at(-1)!;
  return FAMILIES.find(({ models }) => models.test(name)) ?? null;
}
