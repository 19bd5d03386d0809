/** Reads all pages of a GraphQL connection in order. */

interface ConnectionPage<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

/** `read` returns the page after a cursor. */
export async function* readPages<Node>(
  read: (after: string | null) => Promise<ConnectionPage<Node>>,
): AsyncGenerator<readonly Node[]> {
  for (let after: string | null = null, isLast = false; !isLast;) {
    const { nodes, pageInfo }: ConnectionPage<Node> = await read(after);
    if (nodes.length > 0) yield nodes;
    after = pageInfo.endCursor;
    isLast = !pageInfo.hasNextPage;
  }
}
