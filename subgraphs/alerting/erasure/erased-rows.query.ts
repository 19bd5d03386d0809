/** Rows that name an end user, and their replacement without the names. */
import type { OrganizationId } from '#kernel/ids.ts';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import type { ErasedEpisode, ErasedNames } from './erase-names.ts';

const SAVE_ERASED = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      id: string;
      groupKey: string;
      groupName: string | null;
      evidence: string;
    }>,
  ) =>
    sql<object>`with episode as (
        update alert_episode set group_key = ${input.groupKey}, group_name = ${input.groupName},
          evidence = ${input.evidence}::text::jsonb
        where organization_id = ${input.organizationId} and id = ${input.id} returning id, group_name)
      update audit_record set detail = episode.group_name from episode
      where organization_id = ${input.organizationId} and act = 'alert_episode.acknowledged' and subject_id = episode.id::text`,
);

/** Saves an episode without the names, including in the audit record of its acknowledgement. */
export async function saveErased(tx: WriteTransaction, episode: ErasedEpisode): Promise<void> {
  const { organizationId, id, groupKey, groupName, evidence } = episode;
  await tx.run(SAVE_ERASED, { organizationId, id, groupKey, groupName, evidence: JSON.stringify(evidence) });
}

const BODIES = statement(
  (input: Parameters<{ organizationId: OrganizationId; episodeId: string }>) =>
    sql<{ id: string; body: string }>`select id, body from alert_delivery
      where organization_id = ${input.organizationId} and episode_id = ${input.episodeId}`,
);

export function listBodies(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  episodeId: string,
): Promise<{ id: string; body: string }[]> {
  return tx.all(BODIES, { organizationId, episodeId });
}

const SAVE_BODY = statement(
  (input: Parameters<{ organizationId: OrganizationId; id: string; body: string }>) =>
    sql<object>`update alert_delivery set body = ${input.body}
      where organization_id = ${input.organizationId} and id = ${input.id}`,
);

/** Bodies are signed when sent, so pending and repeated deliveries leave without the names. */
export async function saveBody(
  tx: WriteTransaction,
  delivery: { readonly organizationId: OrganizationId; readonly id: string; readonly body: string },
): Promise<void> {
  await tx.run(SAVE_BODY, delivery);
}

type Erased = Pick<ErasedNames, 'externalId' | 'pseudonym'> & { readonly organizationId: OrganizationId };

/** Rules that are grouped by end user. */
const BY_END_USER = sql`(kind in ('CUSTOMER_UNPROFITABLE', 'COST_WITHOUT_REVENUE') or parameters ->> 'groupBy' = 'END_USER')`;

const ERASE_STATES = statement(
  (input: Parameters<Erased>) =>
    sql<object>`update alert_state set group_key = ${input.pseudonym}
      where organization_id = ${input.organizationId} and group_key = ${input.externalId}
        and rule_id in (select id from alert_rule where organization_id = ${input.organizationId} and ${BY_END_USER})`,
);

/** An open episode continues under the pseudonym, as the figures do. */
export async function eraseFromStates(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { externalId, pseudonym }: Omit<Erased, 'organizationId'>,
): Promise<void> {
  await tx.run(ERASE_STATES, { organizationId, externalId, pseudonym });
}

const ERASE_RULES = statement(
  (input: Parameters<Erased>) =>
    sql<object>`with rule as (
        update alert_rule set parameters = jsonb_set(parameters, '{filter,endUser}', to_jsonb(${input.pseudonym}::text))
        where organization_id = ${input.organizationId} and parameters #>> '{filter,endUser}' = ${input.externalId} returning id, parameters)
      update alert_state set counters = jsonb_set(counters, '{parameters}', rule.parameters) from rule
      where organization_id = ${input.organizationId} and rule_id = rule.id`,
);

/** A rule on only this end user continues with the pseudonym, without starting over. */
export async function eraseFromRules(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { externalId, pseudonym }: Omit<Erased, 'organizationId'>,
): Promise<void> {
  await tx.run(ERASE_RULES, { organizationId, externalId, pseudonym });
}
