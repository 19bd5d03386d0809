/** Body members that state who is about to spend how much, and the graph variables that they are converted to. */
import { fail } from '#kernel/errors.ts';
import { decimal, shortText, text, type ValueOf, wholeNumber } from './body.ts';

const TOKENS_MAX = 1_000_000_000;

export const SPEND = {
  end_user: shortText('The `user_id` that the event will have.'),
  agent: shortText('The `agent_id` that the event will have.'),
  model: text("The provider's name of the model."),
  provider: text('If absent, it is inferred from the model.'),
  max_input_tokens: wholeNumber(
    'Maximum number of input tokens; requires `model` and `max_output_tokens`.',
    TOKENS_MAX,
  ),
  max_output_tokens: wholeNumber(
    'Maximum number of output tokens; requires `model` and `max_input_tokens`.',
    TOKENS_MAX,
  ),
  amount: decimal('USD, 0 or more, instead of tokens.'),
};

type Values = { readonly [Name in keyof typeof SPEND]: ValueOf<(typeof SPEND)[Name]> };

/** The graph would refuse the same bodies, but its messages would use its own names. Fails with `VALIDATION_ERROR`. */
export function spendOf({ end_user: endUser, agent, model, provider, amount, ...tokens }: Values) {
  const { max_input_tokens: maxInputTokens, max_output_tokens: maxOutputTokens } = tokens;
  const isCounted = maxInputTokens !== null || maxOutputTokens !== null;
  if (amount !== null && isCounted)
    fail('VALIDATION_ERROR', 'Give either amount, or max_input_tokens and max_output_tokens, not both');
  if (amount === null && (model === null || maxInputTokens === null || maxOutputTokens === null))
    fail('VALIDATION_ERROR', 'Send amount, or model with max_input_tokens and max_output_tokens (0 is allowed)');
  return { endUser, agent, model, provider, maxInputTokens, maxOutputTokens, amount };
}
