/**
 * The shared service, or one with the given settings, whose alert rules are evaluated every minute and when a test
 * requests it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { withClient } from '#platform/database/prepare-database.ts';
import { graphql, post, settle } from './api-client.ts';
import { PATIENCE } from './patience.ts';
import type { RunningService } from './running-service.ts';
import { ownService, sharedService } from './shared-service.ts';
import { usageEvent } from './usage-event.ts';

export interface AlertedService extends RunningService {
  /** Queries the graph as the operator of the test's organization. */
  operate(document: string, variables?: object): Promise<any>;
  /** Creates a rule and returns its id. */
  rule(input: object): Promise<string>;
  /** Waits until every existing rule has been evaluated. */
  judge(): Promise<void>;
}

/** A rule that fires at its first evaluation. */
export const ANY_EVENT = { name: 'Any event', kind: 'THRESHOLD', metric: 'EVENTS', value: '0', windowHours: 24 };

const POLL_MILLISECONDS = 100;
const POLLS_MAX = PATIENCE.timeout / POLL_MILLISECONDS;

/** The organization has one event of an hour ago, which cost 1.5 USD. */
export async function alertedService(settings?: Readonly<Record<string, string>>): Promise<AlertedService> {
  const service = settings ? await ownService(settings) : await sharedService();
  const { operator_token: operator, organization_id: organization, live_ingest_key: key } = service.firstRun;
  const operate = async (document: string, variables: object = {}) => {
    const { body } = await graphql(service.url, operator, document, variables, organization);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data;
  };
  const at = new Date(Date.now() - 3_600_000).toISOString();
  await post(service.url, '/usage-events/batch', key, [usageEvent({ cost_override: '1.5', event_invoked_at: at })]);
  await settle(service.url, operator);
  const evaluatedAt = async (): Promise<string | null> =>
    (await operate('{ alertEvaluation { evaluatedAt } }')).alertEvaluation.evaluatedAt;
  const round = async () => {
    const before = await evaluatedAt();
    await evaluateNow(service, organization);
    for (let polls = 0; (await evaluatedAt()) === before; polls++) {
      if (polls === POLLS_MAX) throw new Error('The rules were not evaluated');
      await pause(POLL_MILLISECONDS);
    }
  };
  return {
    ...service,
    operate,
    async rule(input) {
      const document = `mutation ($input: AlertRuleSaveInput!) { alertRuleSave(input: $input) { alertRule { id } userErrors { message } } }`;
      const { alertRuleSave } = await operate(document, { input });
      if (alertRuleSave.alertRule === null) throw new Error(JSON.stringify(alertRuleSave.userErrors));
      return alertRuleSave.alertRule.id as string;
    },
    async judge() {
      // A round records its start: once the second one has started, the first one is over.
      await round();
      await round();
    },
  };
}

/** Makes the organization due. By itself, the round looks for new organizations only once a minute. */
export async function evaluateNow(service: RunningService, organization: string): Promise<void> {
  await withClient(service.target('alerting'), (database) =>
    database.query(
      `insert into organization_place (organization_id, first_seen_at, due_at, daily_due_at, attempt)
        values ($1, now(), to_timestamp(0), now(), 0)
        on conflict (organization_id) do update set due_at = excluded.due_at`,
      [organization],
    ),
  );
}
