/** Lays a tree of spans out as a list: each span after its parent and before its next sibling, however deep the tree is. */
import type { SpanNode } from '../resolvers.generated.ts';

export function flatSpans(roots: readonly SpanNode[]): SpanNode[] {
  const flat: SpanNode[] = [];
  const open = roots.toReversed();
  for (let node = open.pop(); node; node = open.pop()) {
    flat.push(node);
    open.push(...node.children.toReversed());
  }
  return flat;
}
