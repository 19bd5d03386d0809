/** Sets the organization's attribute mapping for telemetry. Booked events do not change. */
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { TelemetryMapping } from '../resolvers.generated.ts';
import { type AttributeMapping, toMappingView } from '#usage/telemetry/attribute-mapping.ts';
import { findMapping, saveMapping } from './attribute-mapping.table.ts';

type MappingInput = { readonly [Key in keyof AttributeMapping]?: AttributeMapping[Key] | null | undefined };

const NAMES_MAX = 20;
const DIMENSIONS_MAX = 20;
const CHARACTERS_MAX = 128;

/** Omitted fields keep their values. Fails with `VALIDATION_ERROR` for too many names, or names that are too long. */
export async function setTelemetryMapping(context: SubgraphContext, input: MappingInput): Promise<TelemetryMapping> {
  const organizationId = organizationOf(context);
  for (const name of ['endUser', 'agent', 'session', 'bookedCosts'] as const) checkNames(name, input[name] ?? []);
  const { dimensions } = input;
  if ((dimensions?.length ?? 0) > DIMENSIONS_MAX)
    fail('VALIDATION_ERROR', `dimensions must contain at most ${DIMENSIONS_MAX} dimensions`);
  for (const { dimension, attributes } of dimensions ?? []) {
    checkNames('dimensions', [dimension, ...attributes]);
    if (RESERVED.has(dimension)) fail('VALIDATION_ERROR', `dimensions: ${dimension} is reserved`);
  }
  return context.database.write(organizationId, async (tx) => {
    const before = await findMapping(tx, organizationId);
    const mapping: AttributeMapping = {
      endUser: input.endUser ?? before.endUser,
      agent: input.agent ?? before.agent,
      session: input.session ?? before.session,
      dimensions: dimensions ?? before.dimensions,
      bookedCosts: input.bookedCosts ?? before.bookedCosts,
    };
    await saveMapping(tx, organizationId, mapping);
    const { endUser, agent, session, bookedCosts } = mapping;
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'telemetry_mapping.set',
      ...actorOf(context.principal),
      detail: `end user by ${endUser.join(', ')}; agent by ${agent.join(', ')}; session by ${session.join(', ')}; ${mapping.dimensions.length} dimensions; costs booked as reported by ${bookedCosts.join(', ') || 'no source'}`,
    });
    return toMappingView(mapping);
  });
}

/** Metadata keys that the endpoint itself writes. */
const RESERVED: ReadonlySet<string> = new Set(['telemetry', 'reported_cost', 'usage']);

function checkNames(label: string, names: readonly string[]): void {
  if (names.length > NAMES_MAX) fail('VALIDATION_ERROR', `${label} must contain at most ${NAMES_MAX} names`);
  if (names.some((name) => name.trim() === '' || name.length > CHARACTERS_MAX || name.includes('\0')))
    fail('VALIDATION_ERROR', `${label}: a name must have 1 to ${CHARACTERS_MAX} characters`);
}
