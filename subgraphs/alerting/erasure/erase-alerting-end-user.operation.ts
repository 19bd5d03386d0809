/**
 * Erases an end user from alerts: a pseudonym replaces it in rules, states, episodes, deliveries, notes and saved
 * views. Figures stay.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { endUserId } from '#kernel/end-user-id.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import { checkErasure } from '#platform/subgraph/check-erasure.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { listEpisodes } from '../episodes/alert-episode.table.ts';
import { lockEvaluation } from '../evaluation/organization-evaluation.table.ts';
import type { AlertingErasure } from '../resolvers.generated.ts';
import { findNotesWith, setNoteText } from '../notes/note.table.ts';
import { NAME_LENGTH_MAX, NOTE_LENGTH_MAX } from '../config.ts';
import { findViewsWith, renameSavedView } from '../saved-views/saved-view.table.ts';
import {
  type ErasedNames,
  eraseFromBody,
  eraseFromEpisode,
  eraseFromPath,
  eraseWord,
  isOfEndUser,
} from './erase-names.ts';
import { eraseFromRules, eraseFromStates, listBodies, saveBody, saveErased } from './erased-rows.query.ts';

const EPISODES_AT_ONCE = 500;

/**
 * Runs in one transaction, during which no evaluation writes. A repeated call with the same arguments finds nothing
 * and changes nothing.
 */
export async function eraseAlertingEndUser(
  context: SubgraphContext,
  { externalId, pseudonym }: { readonly externalId: string; readonly pseudonym: string },
): Promise<AlertingErasure> {
  checkErasure({ externalId, pseudonym });
  const organizationId = organizationOf(context);
  const erased: Omit<ErasedNames, 'name'> = {
    externalId,
    pseudonym,
    id: endUserId(organizationId, externalId),
    pseudonymId: endUserId(organizationId, pseudonym),
  };
  return context.database.write(organizationId, async (tx) => {
    await lockEvaluation(tx, organizationId);
    const episodes = await eraseFromEpisodes(tx, organizationId, erased);
    await eraseFromStates(tx, organizationId, erased);
    await eraseFromRules(tx, organizationId, erased);
    await eraseFromNotes(tx, organizationId, externalId, pseudonym);
    await eraseFromViews(tx, organizationId, { ...erased, name: externalId });
    await recordAudit(tx, {
      organizationId,
      at: now(),
      action: 'end_user.erased',
      ...actorOf(context.principal),
      detail: `${episodes} episodes`,
    });
    return { episodes };
  });
}

async function eraseFromNotes(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  name: string,
  pseudonym: string,
): Promise<void> {
  for (const { id, text } of await findNotesWith(tx, organizationId, name)) {
    // A pseudonym may be longer than what it replaces.
    const erased = eraseWord(text, name, pseudonym).slice(0, NOTE_LENGTH_MAX);
    await setNoteText(tx, { organizationId, id, text: erased });
  }
}

async function eraseFromViews(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  names: ErasedNames & { readonly name: string },
): Promise<void> {
  const { name, externalId, id: endUser, pseudonym } = names;
  // Values in paths are encoded, so rows are searched by a part without special characters.
  const value = /[\w.~-]+/.exec(externalId)?.[0] ?? '';
  for (const view of await findViewsWith(tx, { organizationId, name, id: endUser, value }))
    await renameSavedView(tx, {
      organizationId,
      id: view.id,
      name: eraseWord(view.name, name, pseudonym).slice(0, NAME_LENGTH_MAX),
      path: eraseFromPath(view.path, names),
    });
}

async function eraseFromEpisodes(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  erased: Omit<ErasedNames, 'name'>,
): Promise<number> {
  const filter = { state: null, ruleId: null, id: null, scopes: ['costs:read', 'revenue:read'] } as const;
  let count = 0;
  for (let offset = 0; ; offset += EPISODES_AT_ONCE) {
    const page = await listEpisodes(tx, organizationId, filter, { limit: EPISODES_AT_ONCE, offset });
    for (const episode of page.filter((one) => isOfEndUser(one, erased.externalId))) {
      const names: ErasedNames = { ...erased, name: episode.groupName };
      await saveErased(tx, eraseFromEpisode(episode, names));
      for (const { id, body } of await listBodies(tx, organizationId, episode.id))
        await saveBody(tx, { organizationId, id, body: eraseFromBody(body, names) });
      if (episode.groupName !== null) {
        await eraseFromNotes(tx, organizationId, episode.groupName, erased.pseudonym);
        await eraseFromViews(tx, organizationId, { ...erased, name: episode.groupName });
      }
      count += 1;
    }
    if (page.length < EPISODES_AT_ONCE) return count;
  }
}
