/** Cuts a list where a slice would hold too many items or too many bytes. */

export interface Slice<Item> {
  readonly items: readonly Item[];
  readonly bytes: number;
}

/** In order; an item that is larger than a slice may be is a slice by itself. */
export function slicesWithin<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  { countMax, bytesMax }: { readonly countMax: number; readonly bytesMax: number },
): Slice<Item>[] {
  const slices: { items: Item[]; bytes: number }[] = [];
  for (const item of items) {
    const bytes = bytesOf(item);
    const last = slices.at(-1);
    if (last && last.items.length < countMax && last.bytes + bytes <= bytesMax) {
      last.items.push(item);
      last.bytes += bytes;
    } else {
      slices.push({ items: [item], bytes });
    }
  }
  return slices;
}
