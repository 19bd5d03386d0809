/** Query plans send the same few documents again and again: each is parsed once. */
import { type DocumentNode, parse } from 'graphql';

const DOCUMENTS_MAX = 2_000;
/** Of all documents together. Callers write parts of them, and what is parsed takes some fifty times the memory of its text. */
const CHARACTERS_MAX = 1_000_000;

export function createParser(): (query: string) => DocumentNode {
  const documents = new Map<string, DocumentNode>();
  let characters = 0;
  return (query) => {
    const known = documents.get(query);
    if (known) return known;
    const document = parse(query, { noLocation: true });
    documents.set(query, document);
    characters += query.length;
    for (const oldest of documents.keys()) {
      if (documents.size <= DOCUMENTS_MAX && characters <= CHARACTERS_MAX) break;
      documents.delete(oldest);
      characters -= oldest.length;
    }
    return document;
  };
}
