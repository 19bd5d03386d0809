/** The one style in which the graph pages: `first` of a list `after` a cursor, which says nothing to anyone but the list that gave it. */
import { fail } from '../schema/errors.ts';

export interface PageInput {
  readonly first: number;
  readonly after?: string | null | undefined;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** A page of a list as the graph answers it. */
export interface Connection<Node> {
  readonly nodes: Node[];
  readonly edges: { readonly cursor: string; readonly node: Node }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
  readonly totalCount: number;
}

const PREFIX = 'after:';
const PLACE = /^after:(\d{1,15})$/;

/** Fails with `VALIDATION_ERROR` for a page without items, one of more than `max`, and a cursor that is none. */
export function parsePage({ first, after }: PageInput, max: number): Page {
  if (first < 1 || first > max) fail('VALIDATION_ERROR', `first must be from 1 to ${max}`);
  if (after === undefined || after === null) return { limit: first, offset: 0 };
  const [, place] = PLACE.exec(Buffer.from(after, 'base64url').toString()) ?? [];
  if (place === undefined) fail('VALIDATION_ERROR', 'after must be a cursor of this list');
  return { limit: first, offset: Number(place) };
}

/** The cursor of an item that is found again by the values that it is ordered by: nothing that comes or goes moves the next page. */
export function keysetCursor(values: readonly string[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url');
}

/** The values of such a cursor; none for anything else. */
export function parseKeyset(cursor: string): string[] {
  try {
    const values: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(values) && values.every((value) => typeof value === 'string') ? values : [];
  } catch {
    return [];
  }
}

/** `nodes` are the items of the page, `totalCount` counts those of the whole list. */
export function toConnection<Node>(nodes: readonly Node[], totalCount: number, { offset }: Page): Connection<Node> {
  const edges = nodes.map((node, index) => ({ cursor: cursorAt(offset + index + 1), node }));
  return {
    nodes: [...nodes],
    edges,
    pageInfo: {
      hasNextPage: offset + nodes.length < totalCount,
      hasPreviousPage: offset > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount,
  };
}

/** Of a list that is in memory as a whole, its page. */
export function pageOf<Item>(items: readonly Item[], { limit, offset }: Page): Item[] {
  return items.slice(offset, offset + limit);
}

/** The cursor of the item that has so many items up to and with itself. */
function cursorAt(count: number): string {
  return Buffer.from(`${PREFIX}${count}`).toString('base64url');
}
