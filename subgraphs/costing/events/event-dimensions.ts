/** The values that an event's cost can be grouped by: its scalar metadata and the mapped attribution keys. */
import { sourceOfNumber } from '../../../kernel/exact-json.ts';

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

/** Mapped keys win over metadata of the same name. Numbers and booleans as their text; longer values are left out. */
export function eventDimensions(event: Attribution): Record<string, string> {
  const dimensions: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [key, value] of Object.entries(event.metadata ?? {})) {
    const text = scalarText(value);
    if (text !== null && text.length <= DIMENSION_VALUE_CHARACTERS_MAX) dimensions[key] = text;
  }
  for (const [key, value] of mappedKeys(event)) if (value !== null) dimensions[key] = value;
  return dimensions;
}

function mappedKeys(event: Attribution): [string, string | null][] {
  return [
    ['feature', event.feature],
    ['agent_id', event.agentId],
    ['workflow_id', event.workflowId],
    ['experiment_id', event.experimentId],
    ['variant', event.variant],
    ['session_type', event.sessionType],
  ];
}

function scalarText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' ? String(value) : sourceOfNumber(value);
}
