/** Orders cards of different providers when the event names none: the most probable one comes first. */
import type { CandidateName } from './candidate-names.ts';
import { MODEL_OWNERS } from './catalogue-providers.ts';

/**
 * The form closest to what was sent decides; within a form the model's owner goes before hosts, however many version
 * suffixes had to be dropped (`claude-3-5-sonnet-20241022` is Anthropic's, although Bedrock lists the very name).
 * Among hosts, OpenRouter first (its `vendor/model` names are the usual ones), then by name.
 */
export function compareInferredProviders(a: InferredFrom, b: InferredFrom): number {
  const [left, right] = [a.card.providerSlug ?? '', b.card.providerSlug ?? ''];
  return a.candidate.form - b.candidate.form || rank(left) - rank(right) || (left < right ? -1 : Number(left > right));
}

type InferredFrom = { readonly candidate: CandidateName; readonly card: { readonly providerSlug: string | null } };

function rank(provider: string): number {
  const owner = MODEL_OWNERS.indexOf(provider);
  return owner !== -1 ? owner : MODEL_OWNERS.length + Number(provider !== 'openrouter');
}
