/**
 * Determines whether a response contains output. If it does, its counts cannot all be zero. The output itself is not
 * stored.
 */
import { isObject } from '#kernel/json/json-object.ts';

/** Names under which an API puts its output, or objects that contain it. */
const PLACES = (
  'choices candidates output content message delta text parts results outputs outputText generation generations ' +
  'completion embedding embeddings tool_calls kwargs ' +
  // Around a response
  'response body result modelOutput batch_result chat_get_completion data'
).split(' ');
/** Types of objects that are output, whatever they contain. */
const CALLS = new Set(['tool_use', 'function_call', 'tool_call', 'toolCall', 'function', 'custom_tool_call']);
const LEVELS_MAX = 7;
const ITEMS_MAX = 100;

/** `response`: the object itself, whose own text under these names is output too. */
export function hasOutput(response: unknown, levels = LEVELS_MAX): boolean {
  if (typeof response === 'string') return response.trim() !== '';
  // An embedding is a list of numbers.
  if (typeof response === 'number') return true;
  if (levels === 0) return false;
  if (Array.isArray(response)) return response.slice(0, ITEMS_MAX).some((each) => hasOutput(each, levels - 1));
  if (!isObject(response)) return false;
  const { type, functionCall, toolUse } = response;
  if ((typeof type === 'string' && CALLS.has(type)) || isObject(functionCall) || isObject(toolUse)) return true;
  // A message that is plain text belongs to an error.
  return PLACES.some(
    (name) => !(name === 'message' && typeof response[name] === 'string') && hasOutput(response[name], levels - 1),
  );
}
