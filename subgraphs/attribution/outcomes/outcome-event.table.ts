/**
 * Events whose session or task was removed from their facts, with the outcome that they belonged to. An erasure thus
 * changes no figure of an outcome.
 */
import { defineEntity, p } from '@mikro-orm/core';
import { tenantTable } from '#platform/database/tenant-table.ts';
import { ownerOf } from './owner.query.ts';

export const OutcomeEventTable = defineEntity({
  name: 'OutcomeEvent',
  tableName: 'outcome_event',
  ...tenantTable('attribution'),
  properties: {
    organizationId: p.uuid().primary(),
    eventId: p.uuid().primary(),
    /** Key of the outcome. */
    key: p.text(),
  },
  indexes: [{ name: 'outcome_event_key_index', properties: ['organizationId', 'key'] }],
});

/**
 * SQL that stores which outcomes own these events, while the facts still name session and task. `facts` returns rows of
 * `cost_fact`; `organization` is SQL for the organization of the row `fact`.
 */
export function keepOwners(facts: string, organization: string): string {
  return `
    insert into outcome_event (organization_id, event_id, key)
    select distinct on (organization_id, event_id) organization_id, event_id, key from (
      select fact.organization_id, fact.event_id, ${ownerOf('fact', organization)} as key from ${facts} as fact
    ) as owned where key is not null order by organization_id, event_id, key
    on conflict (organization_id, event_id) do nothing`;
}

/** SQL that recounts the kept events of the outcomes of `events`, which returns `organization_id` and `event_id`. */
export function countKeptEvents(events: string, organization: string): string {
  return `
    update outcome set kept_events = (
      select count(*) from outcome_event kept
      where kept.organization_id = outcome.organization_id and kept.key = outcome.key)
    from (
      select distinct kept.organization_id, kept.key from ${events} as event
      join outcome_event kept on kept.organization_id = ${organization} and kept.event_id = event.event_id
    ) as touched
    where outcome.organization_id = touched.organization_id and outcome.livemode and outcome.key = touched.key`;
}
