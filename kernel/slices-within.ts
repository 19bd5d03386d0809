/** Splits a list into slices with a bounded number of items and bytes. */

export interface Slice<Item> {
  readonly items: readonly Item[];
  readonly bytes: number;
}

/** Slices of the items, in order. An item larger than the limit is a slice of its own. */
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
