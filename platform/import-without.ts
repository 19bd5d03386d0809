/** Loads a library without some of its dependencies that are never used here. */
import { registerHooks } from 'node:module';

/** `specifier` as imported by a module whose URL contains `importer`. */
export interface Part {
  readonly specifier: string;
  readonly importer: string;
  /** Path of the replacement module. Without one, the import is empty and must not be used while the library loads. */
  readonly standIn?: string;
}

/** Node's own type does not declare these names. */
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
