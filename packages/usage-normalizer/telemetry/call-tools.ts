/** Tools used in a call according to its span, by the names under which rate cards price them. */
import { POSSIBLE_TOOLS, TOOL_COUNT } from './count-telemetry-tools.ts';
import { searchesOfMetadata } from './ai-sdk-metadata.ts';
import { type CallUsage, PROVIDER_METADATA } from './call-usage.ts';
import { AI_SDK_7, isOfAiSdk } from './scope-readings.ts';
import { firstCount, parsedText, type TelemetryRecord } from './telemetry-record.ts';

/** Also matches copies of a provider's own usage object, to which AI SDK 7 and Pydantic AI add a prefix. */
const SEARCHES = /^(?:gen_ai|ai|llm)\..*\bweb_search_requests$/;

/** Undefined if no tools are counted. */
export function callTools(record: TelemetryRecord, usage: CallUsage): Readonly<Record<string, number>> | undefined {
  const { attributes } = record;
  const counted = Object.keys(attributes)
    .filter((name) => name.startsWith(TOOL_COUNT))
    .map((name): [string, number] => [name.slice(TOOL_COUNT.length), firstCount(attributes, [name]) ?? 0]);
  const searches =
    firstCount(
      attributes,
      Object.keys(attributes).filter((name) => SEARCHES.test(name)),
    ) ?? searchesOfMetadata(parsedText(attributes, PROVIDER_METADATA));
  const tools = { ...Object.fromEntries(counted), ...(searches === null ? {} : { web_searches: searches }) };
  if (Object.keys(tools).length > 0) return tools;
  const possible = firstCount(attributes, [POSSIBLE_TOOLS]) ?? 0;
  return possible > 0 && mayRunTools(record, usage) ? { [UNKNOWN_TOOLS]: possible } : undefined;
}

/** A fee without a price: the cost is a guess. */
const UNKNOWN_TOOLS = 'server_tools';

/**
 * If a tool has a name that providers use too, the AI SDK does not say who ran it. Anthropic's own usage object counts
 * the searches, and Gemini's grounding shows them.
 */
function mayRunTools({ scope, name }: TelemetryRecord, { raw }: CallUsage): boolean {
  if (raw !== null && (Object.hasOwn(raw, 'cache_read_input_tokens') || Object.hasOwn(raw, 'promptTokenCount')))
    return false;
  return isOfAiSdk({ scope, name }) || AI_SDK_7.test(scope.name);
}
