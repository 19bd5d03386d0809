/** A subgraph of another repository next to those of this one: whether it fits, and the supergraph with it. */
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type DocumentNode,
  findBreakingChanges,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
} from 'graphql';
import { neededGrants } from '../../schema/scopes-of-field.ts';
import { composeSupergraph, ownSubgraphs } from '../generated-files.ts';

export interface Joining {
  /** Lower case, digits and hyphens. */
  readonly name: string;
  /** Where the gateway reaches it: the whole address, with its path but for `/graphql`. */
  readonly url: string;
  /** Its types; the common head (`schema/head.graphql`) is put before them where they do not link the federation themselves. */
  readonly sdl: string;
}

export interface Joined {
  /** With the new subgraph; `null` where it does not compose. */
  readonly supergraph: string | null;
  /** A sentence each; none: it may join. */
  readonly problems: readonly string[];
}

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const ROOTS = ['Query', 'Mutation'];

export function joinSupergraph(root: URL, { name, url, sdl }: Joining): Joined {
  if (!NAME.test(name)) return refused(`The name ${name} is none: lower case letters, digits and hyphens, at most 40`);
  const own = ownSubgraphs(root);
  if (own.some((subgraph) => subgraph.name === name)) return refused(`There is a subgraph ${name} already`);
  const text = sdl.includes('@link') ? sdl : `${readFileSync(new URL('schema/head.graphql', root), 'utf8')}\n${sdl}`;
  let document: DocumentNode;
  try {
    document = parse(text);
  } catch (error) {
    return refused(`The schema cannot be read: ${(error as Error).message}`);
  }
  try {
    const { supergraph, api } = composeSupergraph([...own, { name, url, typeDefs: document }]);
    const released = buildSchema(readFileSync(new URL('schema/api.graphql', root), 'utf8'));
    const broken = findBreakingChanges(released, buildSchema(api));
    return {
      supergraph,
      problems: [
        ...broken.map(({ description }) => `It would break clients of the graph: ${description}`),
        ...openFields(document),
      ],
    };
  } catch (error) {
    return refused(...(error as Error).message.split('\n').map((line) => `It does not compose: ${line}`));
  }
}

function refused(...problems: string[]): Joined {
  return { supergraph: null, problems };
}

/** What hangs on a root or on an entity is read by everyone unless a scope guards it. */
function openFields(document: DocumentNode): string[] {
  return document.definitions.flatMap((node) => {
    if (node.kind !== 'ObjectTypeDefinition' && node.kind !== 'ObjectTypeExtension') return [];
    if (!ROOTS.includes(node.name.value) && !isEntity(node)) return [];
    const keys = keyFields(node);
    return (node.fields ?? [])
      .filter(
        (field) => !keys.has(field.name.value) && !has(field.directives, 'external') && neededGrants(field) === null,
      )
      .map(
        ({ name }) =>
          `${node.name.value}.${name.value} is open to everyone: say who may read it, such as @scope(needs: "costs:read")`,
      );
  });
}

type ObjectNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode;

function isEntity(node: ObjectNode): boolean {
  return has(node.directives, 'key');
}

function has(directives: ObjectNode['directives'], name: string): boolean {
  return directives?.some((directive) => directive.name.value === name) ?? false;
}

function keyFields(node: ObjectNode): ReadonlySet<string> {
  return new Set(
    (node.directives ?? [])
      .filter(({ name }) => name.value === 'key')
      .flatMap(({ arguments: args = [] }) => args)
      .flatMap(({ name, value }) =>
        name.value === 'fields' && value.kind === 'StringValue' ? value.value.split(/\W+/) : [],
      ),
  );
}
