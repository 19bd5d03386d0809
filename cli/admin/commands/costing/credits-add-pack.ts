/** Adds a pack of event credits to an organization. */
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../../command.ts';
import { COUNT, TIME } from '../../../kit/flags.ts';
import { ORGANIZATION } from '../../flags.ts';

const DOCUMENT = graphql(`mutation CreditsAddPack($events: Long!, $expiresAt: Instant) {
  addEventPack(events: $events, expiresAt: $expiresAt) {
    pack_id: packId expires_at: expiresAt credits { credits_left: creditsLeft packs_left: packsLeft }
  }
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
    const { credits, ...added } = (await gateway.ask(DOCUMENT, pack, args.text('organization'))).addEventPack;
    return { output: { ...added, ...credits } };
  },
};
