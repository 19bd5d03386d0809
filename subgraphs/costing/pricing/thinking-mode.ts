/**
 * Models whose whole output costs more if the call used thinking. The price is that of the pricing context
 * `thinking=on`. Later models have one price for all output; OpenRouter sold the two modes under two names.
 */
const PRICED_BY_THINKING = /(?:^|\/)gemini-2\.5-flash-preview(?:-04-17|-05-20)?$/;

/** The pair to add to the pricing context; null if the price does not depend on it. */
export function thinkingMode(model: string, isThinking: boolean): string | null {
  return isThinking && PRICED_BY_THINKING.test(model.toLowerCase()) ? 'thinking=on' : null;
}
