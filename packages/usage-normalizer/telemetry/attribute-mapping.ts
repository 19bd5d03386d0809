/**
 * Attribute mapping: which attributes contain the end user, agent and session of a call, which become dimensions, and
 * which sources' costs are booked.
 */
import { type Attributes, firstText, type TelemetryRecord } from './telemetry-record.ts';

export interface AttributeMapping {
  /** Attribute names in order; the first one present in a call is used. */
  readonly endUser: readonly string[];
  readonly agent: readonly string[];
  readonly session: readonly string[];
  readonly dimensions: readonly { readonly dimension: string; readonly attributes: readonly string[] }[];
  /** Sources whose reported cost is booked instead of the rate cards' price (decision 31). */
  readonly bookedCosts: readonly string[];
}

export const DEFAULT_MAPPING: AttributeMapping = {
  endUser: [
    'user.id',
    'enduser.id',
    'gen_ai.user.id',
    'langfuse.user.id',
    'traceloop.association.properties.user_id',
    'ai.telemetry.metadata.userId',
    'trace.metadata.user_id',
  ],
  agent: ['gen_ai.agent.name', 'gen_ai.agent.id'],
  session: ['gen_ai.conversation.id', 'session.id', 'langfuse.session.id'],
  dimensions: [],
  bookedCosts: [],
};

/** The maximum length that an event field can store. */
const VALUE_CHARACTERS_MAX = 255;

/**
 * Looks in the call itself, then in the nearest enclosing span of the same request, then in the sender's resource
 * attributes.
 */
export function mappedText(
  { record, ancestors }: { readonly record: TelemetryRecord; readonly ancestors: readonly TelemetryRecord[] },
  names: readonly string[],
): string | null {
  const places: Attributes[] = [record, ...ancestors].map(({ attributes }) => attributes);
  for (const attributes of [...places, record.resource]) {
    const text = firstText(attributes, names);
    if (text !== null && [...text].length <= VALUE_CHARACTERS_MAX && !text.includes('\0')) return text.toWellFormed();
  }
  return null;
}

/** Returns a copy that callers may change. */
export function toMappingView({ endUser, agent, session, dimensions, bookedCosts }: AttributeMapping) {
  return {
    endUser: [...endUser],
    agent: [...agent],
    session: [...session],
    dimensions: dimensions.map(({ dimension, attributes }) => ({ dimension, attributes: [...attributes] })),
    bookedCosts: [...bookedCosts],
  };
}
