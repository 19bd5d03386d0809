/** Lists comments on an incident. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { Note } from '../resolvers.generated.ts';
import { listComments } from './note.table.ts';
import { toNoteView } from './note-view.ts';

/** Comments on an incident, oldest first. */
export async function listEpisodeNotes(context: SubgraphContext, episodeId: string): Promise<Note[]> {
  const organizationId = organizationOf(context);
  const notes = await context.database.entitySnapshot(organizationId, (tx) =>
    listComments(tx, organizationId, episodeId),
  );
  return notes.map(toNoteView);
}
