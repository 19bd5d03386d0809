/** The flags of one call, read and checked: a command asks for what it needs. */
export interface Given {
  /** A required flag. */
  text(name: string): string;
  optional(name: string): string | undefined;
  /** A required flag with a whole number. */
  count(name: string): number;
  optionalCount(name: string): number | undefined;
  /** Of a repeated flag. */
  all(name: string): readonly string[];
  /** Whether a flag or a switch was given. */
  has(name: string): boolean;
}

export function given(values: ReadonlyMap<string, readonly string[]>): Given {
  const optional = (name: string) => values.get(name)?.at(-1);
  const text = (name: string) => optional(name) ?? missing(name);
  const optionalCount = (name: string) => {
    const value = optional(name);
    return value === undefined ? undefined : Number(value);
  };
  return { text, optional, count: (name) => Number(text(name)), optionalCount, all: (name) => values.get(name) ?? [], has: (name) => values.has(name) };
}

function missing(name: string): never {
  throw new Error(`--${name} is read but not required`);
}
