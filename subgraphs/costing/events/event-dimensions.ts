/** The values by which an event's cost can be grouped: its scalar metadata and the mapped attribution keys. */
import { sourceOfNumber } from '#kernel/json/exact-json.ts';
import { INCOMPLETE } from '#usage/counts/incomplete.ts';

const DIMENSION_VALUE_CHARACTERS_MAX = 255;

export interface Attribution {
  readonly feature: string | null;
  readonly agentId: string | null;
  readonly workflowId: string | null;
  readonly experimentId: string | null;
  readonly variant: string | null;
  readonly sessionType: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/**
 * Mapped keys take precedence over metadata of the same name. Numbers and booleans are converted to text. Long values
 * and the marker of estimates are left out.
 */
export function eventDimensions(event: Attribution): Record<string, string> {
  const dimensions: Record<string, string> = {};
  const { metadata } = event;
  if (metadata !== null) {
    for (const key of Object.keys(metadata)) {
      const text = key === INCOMPLETE && metadata[key] === true ? null : scalarText(metadata[key]);
      if (text !== null && text.length <= DIMENSION_VALUE_CHARACTERS_MAX) set(dimensions, key, text);
    }
  }
  for (const [key, property] of MAPPED_KEYS) {
    const value = event[property];
    if (value !== null) dimensions[key] = value;
  }
  return dimensions;
}

const MAPPED_KEYS = [
  ['feature', 'feature'],
  ['agent_id', 'agentId'],
  ['workflow_id', 'workflowId'],
  ['experiment_id', 'experimentId'],
  ['variant', 'variant'],
  ['session_type', 'sessionType'],
] as const;

/**
 * Assigning to `__proto__` would change the prototype. An object without a prototype would take several times the
 * memory.
 */
function set(dimensions: Record<string, string>, key: string, value: string): void {
  if (key === '__proto__')
    Object.defineProperty(dimensions, key, { value, enumerable: true, configurable: true, writable: true });
  else dimensions[key] = value;
}

function scalarText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' ? String(value) : sourceOfNumber(value);
}
