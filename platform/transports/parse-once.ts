/** Query plans send the same few documents again and again: each is parsed once. */
import { type DocumentNode, parse } from 'graphql';

const DOCUMENTS_MAX = 2_000;

export function createParser(): (query: string) => DocumentNode {
  const documents = new Map<string, DocumentNode>();
  return (query) => {
    const known = documents.get(query);
    if (known) return known;
    const document = parse(query, { noLocation: true });
    if (documents.size >= DOCUMENTS_MAX) documents.delete(documents.keys().next().value ?? '');
    documents.set(query, document);
    return document;
  };
}
