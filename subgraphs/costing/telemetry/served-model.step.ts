/**
 * Replaces names of deployments in LiteLLM's records with the model that served the call. LiteLLM states it if it knows
 * the base model, or if the response names the model.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { matchesAnyCard } from '../rates/resolve-rate-card.step.ts';
import { objectOf } from '#kernel/json/json-object.ts';

interface Deployment {
  readonly item: Readonly<Record<string, unknown>>;
  readonly provider: string | null;
  readonly model: string;
  readonly served: string;
}

/** A name that has a rate card, or is an alias of the organization's, is kept. */
export async function withServedModels(
  { database }: SubgraphContext,
  organizationId: OrganizationId,
  items: unknown,
): Promise<unknown> {
  if (!Array.isArray(items)) return items;
  const deployments = items.flatMap((item) => deploymentOf(objectOf(item)) ?? []);
  if (deployments.length === 0) return items;
  const known = await database.write(organizationId, (tx) =>
    matchesAnyCard(tx, organizationId, [
      ...deployments,
      ...deployments.map(({ provider, served }) => ({ provider, model: served })),
    ]),
  );
  const replaced = new Map(
    deployments
      .filter((_, index) => known[index] === false && known[index + deployments.length] === true)
      .map(({ item, model, served }) => [item, { ...item, model: served, deployment: model }]),
  );
  return items.map((item: unknown) => replaced.get(objectOf(item)) ?? item);
}

/** Null if the record states no other name, or the same name with a version. */
function deploymentOf(item: Readonly<Record<string, unknown>>): Deployment | null {
  const model = textOf(item['model']);
  const served =
    textOf(objectOf(item['model_map_information'])['model_map_key']) ?? textOf(objectOf(item['response'])['model']);
  if (model === null || served === null || bare(served).startsWith(bare(model))) return null;
  return { item, provider: textOf(item['custom_llm_provider']), model, served };
}

function bare(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
