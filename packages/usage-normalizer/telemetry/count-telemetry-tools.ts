/**
 * Counts the tools that a provider ran, from texts of a span that are dropped on arrival: tool calls, output messages
 * and what the AI SDK passes on of a response. Returns numbers only, as attributes.
 */
import { type Fields, objectOf } from '#kernel/json/json-object.ts';
import { countBilledTools, UNKNOWN_TOOL, unitOfTool } from '../counts/count-billed-tools.ts';

/** Followed by the name of the unit. */
export const TOOL_COUNT = 'ai_product_books.tools.';
/** Calls of tools that providers offer under these names, where the text does not say who ran them. */
export const POSSIBLE_TOOLS = 'ai_product_books.possible_tools';

const TOOL_CALLS: ReadonlySet<string> = new Set(['ai.response.toolCalls', 'ai.result.toolCalls']);
const MESSAGES = 'gen_ai.output.messages';
const PROVIDER_METADATA = 'ai.response.providerMetadata';

/** Maximum length of a text that is parsed. */
const CHARACTERS_MAX = 1024 * 1024;
/** Texts without these names contain no tool of a provider. */
const TOOLS = /search|code_?(?:interpreter|execution)|image_?generation|server_tool_call|providerExecuted|grounding/i;

/** `{}` for almost every attribute. */
export function countTelemetryTools(name: string, text: string): Readonly<Record<string, number>> {
  if (!TOOL_CALLS.has(name) && name !== MESSAGES && name !== PROVIDER_METADATA) return {};
  if (!TOOLS.test(text)) return {};
  if (text.length > CHARACTERS_MAX) return { [POSSIBLE_TOOLS]: 1 };
  const content = parsed(text);
  if (name === PROVIDER_METADATA) return attributesOf(countBilledTools({ providerMetadata: content }), 0);
  const calls = name === MESSAGES ? callsOfMessages(content) : listOf(content);
  const possible = calls.filter(({ providerExecuted, toolName }) => {
    const unit = typeof toolName === 'string' ? unitOfTool(toolName) : null;
    return providerExecuted === undefined && unit !== null && unit !== UNKNOWN_TOOL;
  });
  return attributesOf(countBilledTools({ toolCalls: calls }), possible.length);
}

function attributesOf(counts: Readonly<Record<string, number>>, possible: number): Readonly<Record<string, number>> {
  return {
    ...Object.fromEntries(Object.entries(counts).map(([unit, count]) => [`${TOOL_COUNT}${unit}`, count])),
    ...(possible === 0 ? {} : { [POSSIBLE_TOOLS]: possible }),
  };
}

/**
 * Parts of messages as OpenTelemetry names them. Tools that a provider runs have a type of their own; AI SDK 7 does not
 * use it, but only a provider answers a call within the same message.
 */
function callsOfMessages(content: unknown): Fields[] {
  const parts = listOf(content).flatMap((message) => listOf(message['parts']));
  const answers = new Map(
    parts.filter(({ type }) => type === 'tool_call_response').map((part) => [part['id'], part['response']]),
  );
  return parts.flatMap((part): Fields[] => {
    const { type, id, name } = part;
    if (type === 'server_tool_call') {
      const call = objectOf(part['server_tool_call']);
      return [{ toolName: name ?? call['type'], providerExecuted: true, input: call['arguments'] ?? call }];
    }
    if (type !== 'tool_call') return [];
    const isAnswered = typeof id === 'string' && answers.has(id);
    return [
      isAnswered
        ? { toolName: name, providerExecuted: true, input: answers.get(id) ?? part['arguments'] }
        : { toolName: name },
    ];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}
