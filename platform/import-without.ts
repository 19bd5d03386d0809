/** Loads a library without some of its dependencies that are never used here. */
import { registerHooks } from 'node:module';

/** `specifier` as a module whose address holds `importer` names it. */
export interface Part {
  readonly specifier: string;
  readonly importer: string;
  /** The path of a module that takes its place; without one nothing does, and no name of it may be asked for while the library loads. */
  readonly standIn?: string;
}

/** Of Node's own: it has none of the names. */
const NOTHING = 'node:path';

export async function importWithout<Library>(parts: readonly Part[], load: () => Promise<Library>): Promise<Library> {
  const hooks = registerHooks({
    resolve(specifier, context, resolve) {
      const part = parts.find((each) => each.specifier === specifier && context.parentURL?.includes(each.importer));
      return resolve(part ? (part.standIn ?? NOTHING) : specifier, context);
    },
  });
  try {
    return await load();
  } finally {
    hooks.deregister();
  }
}
