/** The convention assumed for counts under the documented names, by provider and model. */
import { UNKNOWN_PROVIDER } from '../names/canonical-provider.ts';
import { isReseller } from '../names/resellers.ts';
import type { Convention } from './usage-shapes.ts';

/**
 * The convention of counts that have only the documented names, so that the event does not show which convention it
 * uses. By the documentation they are totals. Anthropic's own counts have the same names, so its convention applies if
 * it is the named provider. `isGuess`: the provider's own API uses a different convention from the documentation, so
 * either may have been sent.
 */
export function conventionOf(
  provider: string | null,
  model: string | undefined,
): Readonly<Record<'input' | 'output', { readonly assumed: Convention; readonly isGuess: boolean }>> {
  const name = model?.toLowerCase() ?? '';
  const isClaude = name.includes('claude');
  const isNamed = provider !== null && provider !== UNKNOWN_PROVIDER && !isReseller(provider);
  const isExclusive = provider === 'anthropic' || provider === 'aws' || (isClaude && CLAUDE_HOSTS.has(provider));
  const isApart = isNamed ? REASONING_APART_AT.has(provider) && !isClaude : REASONING_APART.test(name);
  return {
    input: { assumed: isExclusive ? 'exclusive' : 'inclusive', isGuess: isExclusive || (!isNamed && isClaude) },
    output: { assumed: 'inclusive', isGuess: isApart },
  };
}

/** Hosts whose Claude endpoints use Anthropic's own protocol. */
const CLAUDE_HOSTS: ReadonlySet<string | null> = new Set(['google', 'azure']);
const REASONING_APART_AT: ReadonlySet<string> = new Set(['google', 'x-ai', 'perplexity']);
const REASONING_APART = /(?:^|\/)(?:gemini|grok|sonar)/;
