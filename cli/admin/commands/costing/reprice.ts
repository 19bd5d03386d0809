/** Reprices completed events of an organization and appends the differences. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { text, TIME } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';
import { watchOperation } from '../../watch-operation.ts';

const DRY_RUN = graphql(`mutation DryRun($start: Instant!, $end: Instant!, $model: String) {
  repricing: repricingRun(input: { start: $start, end: $end, model: $model, dryRun: true }) { repricing {
    repricing_id: repricingId events difference by_model: byModel { model_slug: modelSlug day events difference }
    kept_events: keptEvents
  } userErrors { message code } }
}`);

const START = graphql(`mutation StartRepricing($start: Instant!, $end: Instant!, $model: String) {
  repricingStart(input: { start: $start, end: $end, model: $model }) { operation { id } userErrors { message code } }
}`);

export const REPRICING = graphql(`query Repricing($id: ID!) {
  repricing(id: $id) {
    repricing_id: repricingId events difference by_model: byModel { model_slug: modelSlug day events difference }
  }
}`);

export const reprice: Command = {
  name: 'reprice',
  summary: "Reprices completed events at today's rates and appends the differences.",
  flags: {
    organization: ORGANIZATION,
    start: { form: TIME, required: true, about: 'events from this time on' },
    end: { form: TIME, required: true, about: 'events before this time' },
    model: { form: text('M'), about: 'only events of this model' },
    'dry-run': { about: 'only show the differences' },
  },
  async run(args, gateway) {
    const organizationId = args.text('organization');
    const request = { start: args.text('start'), end: args.text('end'), model: args.optional('model') };
    if (args.has('dry-run'))
      return { output: (await gateway.ask(DRY_RUN, request, organizationId)).repricing.repricing };
    const { id } = (await gateway.ask(START, request, organizationId)).repricingStart.operation!;
    await watchOperation(gateway, id, organizationId);
    return { output: (await gateway.ask(REPRICING, { id }, organizationId)).repricing };
  },
};
