/** Members of bodies that say who is about to spend how much, and the variables of the graph that they become. */
import { decimal, text, type ValueOf, wholeNumber } from './body.ts';

export const SPEND = {
  end_user: text('The `user_id` that the event will have.'),
  agent: text('The `agent_id` that the event will have.'),
  model: text("The provider's name of the model."),
  provider: text('If absent, it is inferred from the model.'),
  max_input_tokens: wholeNumber('Maximum number of input tokens; requires `model`.'),
  max_output_tokens: wholeNumber('Maximum number of output tokens; requires `model`.'),
  amount: decimal('USD, 0 or more, instead of tokens.'),
};

type Values = { readonly [Name in keyof typeof SPEND]: ValueOf<(typeof SPEND)[Name]> };

export function spendOf({ end_user: endUser, agent, model, provider, amount, ...tokens }: Values) {
  const { max_input_tokens: maxInputTokens, max_output_tokens: maxOutputTokens } = tokens;
  return { endUser, agent, model, provider, maxInputTokens, maxOutputTokens, amount };
}
