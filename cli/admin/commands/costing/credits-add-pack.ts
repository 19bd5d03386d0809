/** Adds a pack of event credits to an organization. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { COUNT, TIME } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`mutation CreditsAddPack($events: Long!, $expiresAt: Instant) {
  eventPackAdd(input: { events: $events, expiresAt: $expiresAt }) { eventPack {
    pack_id: packId expires_at: expiresAt credits { credits_left: creditsLeft packs_left: packsLeft }
  } userErrors { message code } }
}`);

export const creditsAddPack: Command = {
  name: 'credits add-pack',
  summary: 'Adds a pack of events to an organization.',
  flags: {
    organization: ORGANIZATION,
    events: { form: COUNT, required: true, about: 'number of events in the pack' },
    'expires-at': { form: TIME, about: 'when the pack expires; default: in 12 months' },
  },
  async run(args, gateway) {
    const pack = { events: args.count('events'), expiresAt: args.optional('expires-at') };
    const { credits, ...added } = (await gateway.ask(DOCUMENT, pack, args.text('organization'))).eventPackAdd
      .eventPack!;
    return { output: { ...added, ...credits } };
  },
};
