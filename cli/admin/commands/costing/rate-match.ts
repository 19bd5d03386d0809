/** Shows the rate card that would price a model, and the rule that selects it; `null` if no card matches. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ID, text, TIME } from '../../../kit/flags.ts';

const DOCUMENT = graphql(`query RateMatch($model: String!, $provider: String, $at: Instant) {
  rateMatch(model: $model, provider: $provider, at: $at) {
    model_slug: modelSlug provider_slug: providerSlug rule rate_card_id: rateCardId effective_from: effectiveFrom
    input_cost_per_million: inputCostPerMillion output_cost_per_million: outputCostPerMillion
    cache_creation_cost_per_million: cacheCreationCostPerMillion cache_creation_1h_cost_per_million: cacheCreation1hCostPerMillion
    cache_read_cost_per_million: cacheReadCostPerMillion reasoning_cost_per_million: reasoningCostPerMillion
    input_audio_cost_per_million: inputAudioCostPerMillion output_audio_cost_per_million: outputAudioCostPerMillion
    cache_read_audio_cost_per_million: cacheReadAudioCostPerMillion
    input_image_cost_per_million: inputImageCostPerMillion output_image_cost_per_million: outputImageCostPerMillion
    cache_read_image_cost_per_million: cacheReadImageCostPerMillion
    input_video_cost_per_million: inputVideoCostPerMillion output_video_cost_per_million: outputVideoCostPerMillion
    unit unit_prices: unitPrices { name price } unit_name: unitName
    tiers { above_input_tokens: aboveInputTokens prices { name price } }
    contexts { context class above_input_tokens: aboveInputTokens rate factor source }
  }
}`);

export const rateMatch: Command = {
  name: 'rate match',
  summary: 'Shows which rate card would price a model, and by which rule.',
  flags: {
    model: { form: text('M'), required: true, about: 'the model name in events' },
    provider: { form: text('P'), about: 'the provider name in events' },
    organization: { form: ID, about: 'default: the list prices' },
    at: { form: TIME, about: 'the time of the event; default: now' },
  },
  async run(args, gateway) {
    const input = { model: args.text('model'), provider: args.optional('provider'), at: args.optional('at') };
    const { rateMatch: match } = await gateway.ask(DOCUMENT, input, args.optional('organization'));
    return { output: match };
  },
};
