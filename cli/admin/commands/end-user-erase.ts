/** Erases an end user in all subgraphs. After an interruption, run it again with the same arguments. */
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '#platform/clock.ts';
import { graphql } from '#schema/graphql.ts';
import { COUNT, text } from '../../kit/flags.ts';
import type { Command } from '../command.ts';
import { ORGANIZATION } from '../flags.ts';
import { registeredDimensions } from '../registered-dimensions.ts';
import { watchOperation } from '../watch-operation.ts';

const BEGIN = graphql(`mutation BeginToErase($externalId: String!) {
  endUserErase(input: { externalId: $externalId, limit: 0 }) { erasure { pseudonym } userErrors { message } }
}`);
const START = graphql(`mutation StartEndUserErasure($externalId: String!, $keepDimensions: [String!]!) {
  endUserErasureStart(input: { externalId: $externalId, keepDimensions: $keepDimensions }) { operation { id } userErrors { message } }
}`);
const RECORD = graphql(`query ErasureRecord($externalId: String!) {
  endUserErasures(externalId: $externalId, first: 1) { nodes {
    erasure_id: id subject_hash: subjectHash events requested_at: requestedAt finished_at: finishedAt
  } }
}`);
const ERASE_REVENUE = graphql(`mutation EraseRevenueEndUser($externalId: String!, $pseudonym: String!) {
  revenueEndUserErase(input: { externalId: $externalId, pseudonym: $pseudonym }) { erasure { customers } userErrors { message } }
  alertingEndUserErase(input: { externalId: $externalId, pseudonym: $pseudonym }) { erasure { episodes } userErrors { message } }
  attributionEndUserErase(input: { externalId: $externalId, pseudonym: $pseudonym }) { erasure { outcomes } userErrors { message } }
}`);
const FOLLOWED = graphql('query ErasureFollowed { pricingBacklog { feedLag } attributionLag { batches } }');

const TIMEOUT_SECONDS = 60;
const LOOK_EVERY_MILLISECONDS = 100;

export const endUserErase: Command = {
  name: 'end-user erase',
  summary:
    'Erases an end user: replaces its id with a pseudonym in events, costs, outcomes, revenue and alerts. All figures stay the same.',
  flags: {
    organization: ORGANIZATION,
    'end-user': { form: text('EXTERNAL_ID'), required: true, about: 'the user_id in its usage events' },
    timeout: { form: COUNT, about: `seconds to wait for attribution; default: ${TIMEOUT_SECONDS}` },
  },
  async run(args, gateway) {
    const organizationId = args.text('organization');
    const externalId = args.text('end-user');
    const keepDimensions = await registeredDimensions(gateway, organizationId);
    // Revenue, alerting and outcomes go first: they need the pseudonym, which costing forgets at the end.
    const begun = (await gateway.ask(BEGIN, { externalId }, organizationId)).endUserErase;
    const pseudonym = begun.erasure?.pseudonym;
    if (pseudonym == null)
      throw new Error('An earlier erasure of this end user has just finished: run the command again');
    const erasures = await gateway.ask(ERASE_REVENUE, { externalId, pseudonym }, organizationId);
    const { endUserErasureStart } = await gateway.ask(START, { externalId, keepDimensions }, organizationId);
    await watchOperation(gateway, endUserErasureStart.operation!.id, organizationId);
    const [erasure] = (await gateway.ask(RECORD, { externalId }, organizationId)).endUserErasures.nodes;
    const until = elapsedMilliseconds() + (args.optionalCount('timeout') ?? TIMEOUT_SECONDS) * 1000;
    let lag = 1;
    for (let isFirst = true; lag > 0 && (isFirst || elapsedMilliseconds() < until); isFirst = false) {
      if (!isFirst) await pause(LOOK_EVERY_MILLISECONDS);
      const { pricingBacklog, attributionLag } = await gateway.ask(FOLLOWED, {}, organizationId);
      lag = Math.max(pricingBacklog.feedLag, attributionLag.batches);
    }
    const output = {
      ...erasure,
      pseudonym,
      customers: erasures.revenueEndUserErase.erasure!.customers,
      episodes: erasures.alertingEndUserErase.erasure!.episodes,
      outcomes: erasures.attributionEndUserErase.erasure!.outcomes,
      kept_dimensions: keepDimensions,
    };
    if (lag === 0) return { output };
    return { output, error: 'Attribution has not caught up yet, but will by itself. To wait for it, run settle' };
  },
};
