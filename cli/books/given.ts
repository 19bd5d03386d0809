/** The flags of one call: a text where one was given, `true` for a switch. */
export interface Given {
  text(name: string): string | undefined;
  has(name: string): boolean;
}

export function given(values: Readonly<Record<string, string | boolean | undefined>>): Given {
  return {
    text(name) {
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    },
    has: (name) => values[name] !== undefined,
  };
}
