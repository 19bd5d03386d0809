/** Maps a name to a model, for example an Azure deployment or a router's own name. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { ID, text } from '../../../kit/flags.ts';
import { UsageError } from '../../../kit/usage-error.ts';

const SET = graphql(`mutation RateAlias($name: String!, $provider: String, $model: String) {
  modelAliasSet(input: { name: $name, provider: $provider, model: $model }) { requeued_events: requeuedEvents userErrors { message } }
}`);
const LIST = graphql(
  'query RateAliases { modelAliases { name provider model is_standard: isStandard changed_at: changedAt } }',
);

export const rateAlias: Command = {
  name: 'rate alias',
  summary: 'Maps a name, such as an Azure deployment, to a known model. Without --name, lists the aliases.',
  flags: {
    name: { form: text('NAME'), about: 'the model name in events' },
    model: { form: text('M'), about: "the provider's name of the model" },
    remove: { about: 'remove the alias' },
    provider: { form: text('P'), about: 'default: any provider' },
    organization: { form: ID, about: 'default: all organizations' },
  },
  async run(args, gateway) {
    const organization = args.optional('organization');
    const [name, model] = [args.optional('name'), args.optional('model')];
    if (name === undefined) {
      if (model !== undefined || args.has('remove')) throw new UsageError('--name is required');
      return { output: (await gateway.ask(LIST, {}, organization)).modelAliases };
    }
    if ((model === undefined) !== args.has('remove')) throw new UsageError('--model or --remove is required');
    const { modelAliasSet } = await gateway.ask(
      SET,
      { name, provider: args.optional('provider'), model },
      organization,
    );
    return { output: { requeued_events: modelAliasSet.requeued_events } };
  },
};
