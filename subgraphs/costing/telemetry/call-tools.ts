/**
 * Tools used in a call according to its span: counts in attributes, and the parts of a provider's response that the AI
 * SDK passes on.
 */
import { countBilledTools } from '#schema/count-billed-tools.ts';
import { type Attributes, firstCount, objectOf, own } from './telemetry-record.ts';

const SEARCHES: readonly string[] = [
  'gen_ai.usage.web_search_requests',
  'gen_ai.usage.server_tool_use.web_search_requests',
  'gen_ai.usage.details.web_search_requests',
  'gen_ai.usage.details.server_tool_use.web_search_requests',
];

/** Counts by the names under which rate cards price them; undefined if there are none. */
export function callTools(attributes: Attributes): Readonly<Record<string, number>> | undefined {
  const searches = firstCount(attributes, SEARCHES);
  if (searches !== null) return { web_searches: searches };
  const metadata = own(attributes, 'ai.response.providerMetadata');
  if (typeof metadata !== 'string' || !/grounding/i.test(metadata)) return undefined;
  try {
    const providers = objectOf(JSON.parse(metadata));
    return countBilledTools(providers['google'] ?? providers['vertex']);
  } catch {
    return undefined;
  }
}
