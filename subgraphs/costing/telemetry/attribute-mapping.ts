/** Which attributes name the end user, the agent and the session of a call, which become dimensions, and whose costs are booked. */
import { type Attributes, firstText, type TelemetryRecord } from './telemetry-record.ts';

export interface AttributeMapping {
  /** Names in order: the first that a call has counts. */
  readonly endUser: readonly string[];
  readonly agent: readonly string[];
  readonly session: readonly string[];
  readonly dimensions: readonly { readonly dimension: string; readonly attributes: readonly string[] }[];
  /** Sources whose reported cost is booked in place of what the rate cards say (decision 31). */
  readonly bookedCosts: readonly string[];
}

export const DEFAULT_MAPPING: AttributeMapping = {
  endUser: [
    'user.id',
    'enduser.id',
    'gen_ai.user.id',
    'traceloop.association.properties.user_id',
    'ai.telemetry.metadata.userId',
    'trace.metadata.user_id',
  ],
  agent: ['gen_ai.agent.name', 'gen_ai.agent.id'],
  session: ['gen_ai.conversation.id', 'session.id'],
  dimensions: [],
  bookedCosts: [],
};

/** What an event can hold of a name. */
const VALUE_CHARACTERS_MAX = 255;

/** On the call itself, else on the nearest span around it that came with it, else on what sent them. */
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

/** A copy that may be given away. */
export function toMappingView({ endUser, agent, session, dimensions, bookedCosts }: AttributeMapping) {
  return {
    endUser: [...endUser],
    agent: [...agent],
    session: [...session],
    dimensions: dimensions.map(({ dimension, attributes }) => ({ dimension, attributes: [...attributes] })),
    bookedCosts: [...bookedCosts],
  };
}
