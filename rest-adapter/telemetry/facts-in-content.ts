/**
 * Facts about a call in texts that are dropped as content: the usage object of the response (Logfire), and the requested
 * service tier (OpenInference). Returns attributes without content.
 */
import { type Fields, objectOf } from '#kernel/json/json-object.ts';
import { countsOf } from '#usage/responses/reduce-response.ts';

/** Maximum length of a text that is parsed. */
const CHARACTERS_MAX = 1024 * 1024;
const TIER = /^[a-z_]{1,32}$/;

/** `{}` for almost every attribute. */
export function factsInContent(name: string, text: string): Readonly<Record<string, string>> {
  if (name === 'response_data' && text.includes('usage')) {
    const usage = countsOf(parsed(text)['usage']);
    return usage === undefined ? {} : { 'response_data.usage': JSON.stringify(usage) };
  }
  if (name === 'llm.invocation_parameters' && text.includes('service_tier')) {
    const tier = parsed(text)['service_tier'];
    return typeof tier === 'string' && TIER.test(tier) ? { 'gen_ai.request.service_tier': tier } : {};
  }
  return {};
}

function parsed(text: string): Fields {
  if (text.length > CHARACTERS_MAX) return {};
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}
