/** Paging in the graph: the `first` items of a list `after` an opaque cursor. */
import { fail } from './errors.ts';
import { isUuid } from './uuid.ts';

export interface PageInput {
  readonly first: number;
  readonly after?: string | null | undefined;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** A page of a list that is ordered by UUID. */
export interface KeysetPage {
  readonly limit: number;
  /** Id of the last item of the previous page. */
  readonly after: string | null;
}

/** A page of a list as GraphQL returns it, without the number of all items. */
export interface UncountedConnection<Node> {
  readonly nodes: Node[];
  readonly edges: { readonly cursor: string; readonly node: Node }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** A page with the number of all items. */
export interface Connection<Node> extends UncountedConnection<Node> {
  readonly totalCount: number;
}

const PREFIX = 'after:';
const PLACE = /^after:(\d{1,15})$/;

/** Fails with `VALIDATION_ERROR` if `first` is below 1 or above `max`, or the cursor is invalid. */
export function parsePage({ first, after }: PageInput, max: number): Page {
  checkFirst(first, max);
  if (after === undefined || after === null) return { limit: first, offset: 0 };
  const [, place] = PLACE.exec(Buffer.from(after, 'base64url').toString()) ?? [];
  if (place === undefined) fail('VALIDATION_ERROR', 'after must be a cursor of this list');
  return { limit: first, offset: Number(place) };
}

/** Fails with `VALIDATION_ERROR`. */
export function checkFirst(first: number, max: number): void {
  if (first < 1 || first > max) fail('VALIDATION_ERROR', `first must be from 1 to ${max}`);
}

/** Like `parsePage`, for a list that is ordered by UUID. */
export function parseKeysetPage({ first, after }: PageInput, max: number): KeysetPage {
  checkFirst(first, max);
  if (after === undefined || after === null) return { limit: first, after: null };
  const [id = '', ...more] = parseKeyset(after);
  if (!isUuid(id) || more.length > 0) fail('VALIDATION_ERROR', 'after must be a cursor of this list');
  return { limit: first, after: id };
}

/** `found` contains the items of the page, and one more if there is a next page. */
export function toKeysetConnection<Node extends { readonly id: string }>(
  found: readonly Node[],
  { limit, after }: KeysetPage,
): UncountedConnection<Node> {
  const edges = found.slice(0, limit).map((node) => ({ cursor: keysetCursor([node.id]), node }));
  return connectionOfEdges(edges, { hasNextPage: found.length > limit, hasPreviousPage: after !== null });
}

export function connectionOfEdges<Node>(
  edges: UncountedConnection<Node>['edges'],
  neighbors: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean },
): UncountedConnection<Node> {
  return {
    nodes: edges.map(({ node }) => node),
    edges,
    pageInfo: {
      ...neighbors,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** A cursor of the item's sort values, so that inserted or deleted items do not shift the next page. */
export function keysetCursor(values: readonly string[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** The values of such a cursor; empty for anything else. */
export function parseKeyset(cursor: string): string[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : [];
  } catch {
    return [];
  }
}

/** `nodes` are the items of the page; `totalCount` is the length of the whole list. */
export function toConnection<Node>(nodes: readonly Node[], totalCount: number, { offset }: Page): Connection<Node> {
  const edges = nodes.map((node, index) => ({ cursor: cursorAt(offset + index + 1), node }));
  const neighbors = { hasNextPage: offset + nodes.length < totalCount, hasPreviousPage: offset > 0 };
  return { ...connectionOfEdges(edges, neighbors), totalCount };
}

/** A page of a list that is in memory. */
export function pageOf<Item>(items: readonly Item[], { limit, offset }: Page): Item[] {
  return items.slice(offset, offset + limit);
}

/** The cursor of the item at this 1-based position. */
function cursorAt(count: number): string {
  return Buffer.from(`${PREFIX}${count}`).toString('base64url');
}
