/** Removes an end user's names from an episode and from the messages sent about it. */
import type { EpisodeRow } from '../episodes/alert-episode.table.ts';
import type { Evidence } from '../figures/evidence.ts';

export interface ErasedNames {
  readonly externalId: string;
  readonly pseudonym: string;
  /** The service's own UUIDs of the end user and of the pseudonym; page paths contain them. */
  readonly id: string;
  readonly pseudonymId: string;
  /** Displayed name, if an episode contains one. */
  readonly name: string | null;
}

/** True if the episode's query is for this end user, because the rule is by end user or filtered to this one. */
export function isOfEndUser({ evidence: { query } }: Pick<EpisodeRow, 'evidence'>, externalId: string): boolean {
  const { search, filter } = query.variables;
  return search === externalId || (filter as { endUser?: unknown } | null | undefined)?.endUser === externalId;
}

/** Columns of an episode that are rewritten. */
export type ErasedEpisode = Pick<EpisodeRow, 'organizationId' | 'id' | 'groupKey' | 'groupName' | 'evidence'>;

/** Returns the episode with the pseudonym instead of the names: in its group, sentence, query and path. */
export function eraseFromEpisode(episode: ErasedEpisode, names: ErasedNames): ErasedEpisode {
  const isGroup = episode.groupKey !== '';
  const { evidence } = episode;
  const erased: Evidence = {
    ...evidence,
    sentence: eraseFromText(evidence.sentence, names),
    query: {
      ...evidence.query,
      variables: eraseFromValues(evidence.query.variables, names) as Evidence['query']['variables'],
    },
    path: evidence.path.replaceAll(names.id, names.pseudonymId),
  };
  if (!isGroup) return { ...episode, evidence: erased };
  return { ...episode, groupKey: names.pseudonym, groupName: names.pseudonym, evidence: erased };
}

/** Erases the names from a message: its sentence and its link. */
export function eraseFromBody(body: string, names: ErasedNames): string {
  const message = JSON.parse(body) as { data: { sentence: string; link: string } };
  const { sentence, link } = message.data;
  const data = {
    ...message.data,
    sentence: eraseFromText(sentence, names),
    link: link.replaceAll(names.id, names.pseudonymId),
  };
  return JSON.stringify({ ...message, data });
}

/** Erases the end user from the path and query of a page: its UUID, and values of filters that are its name. */
export function eraseFromPath(path: string, { externalId, pseudonym, id, pseudonymId }: ErasedNames): string {
  const [page = '', query] = path.replaceAll(id, pseudonymId).split('?', 2);
  if (query === undefined) return page;
  const erased = [...new URLSearchParams(query)].map(([key, value]): [string, string] => {
    const colon = value.indexOf(':') + 1;
    return [key, value.slice(colon) === externalId ? value.slice(0, colon) + pseudonym : value];
  });
  return `${page}?${new URLSearchParams(erased).toString()}`;
}

/** Replaces a name in a text, but not inside longer words: the name may be as short as `1`. */
export function eraseWord(text: string, name: string, replacement: string): string {
  const word = new RegExp(`(?<![\\p{L}\\p{N}_])${RegExp.escape(name)}(?![\\p{L}\\p{N}_])`, 'gu');
  return text.replaceAll(word, () => replacement);
}

function eraseFromText(text: string, { name, externalId, pseudonym }: ErasedNames): string {
  // The longer name first, because it may contain the other.
  const known = [name ?? '', externalId].filter((one) => one !== '').sort((one, other) => other.length - one.length);
  return known.reduce((left, one) => left.replaceAll(one, pseudonym), text);
}

function eraseFromValues(value: unknown, names: ErasedNames): unknown {
  if (value === names.externalId) return names.pseudonym;
  if (Array.isArray(value)) return value.map((one) => eraseFromValues(one, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, eraseFromValues(one, names)]));
}
