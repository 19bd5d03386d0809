/** Composes subgraphs from other repositories with this one's, and checks that all of them fit. */
import { readFileSync } from 'node:fs';
import {
  buildASTSchema,
  type DocumentNode,
  findBreakingChanges,
  type GraphQLSchema,
  type ObjectTypeDefinitionNode,
  type ObjectTypeExtensionNode,
  parse,
} from 'graphql';
import { neededGrants } from '#schema/scopes-of-field.ts';
import { composeSupergraph, ownSubgraphs } from '../generated-files.ts';

export interface Joining {
  /** Lower case, digits and hyphens. */
  readonly name: string;
  /** URL at which the gateway reaches it: complete, with its path but without `/graphql`. */
  readonly url: string;
  /** Its types. The common head (`schema/head.graphql`) is prepended if they do not link the federation themselves. */
  readonly sdl: string;
}

export interface Joined {
  /** The supergraph with all of them; `null` if they do not compose. */
  readonly supergraph: string | null;
  /** One sentence each; empty if they may join. */
  readonly problems: readonly string[];
}

const NAME = /^[a-z][a-z0-9-]{0,39}$/;
const ROOTS = ['Query', 'Mutation'];

/** `served`: the supergraph that clients currently use. Reports all problems of all subgraphs at once. */
export function joinSupergraph(root: URL, joining: readonly Joining[], served: string): Joined {
  const own = ownSubgraphs(root);
  const ownNames = own.map(({ name }) => name);
  const grants = knownGrants(own.map(({ typeDefs }) => typeDefs));
  const problems: string[] = [];
  const read = joining.flatMap((subgraph, index) => {
    const { name, url } = subgraph;
    if (!NAME.test(name))
      problems.push(`"${name}" is not a valid name: use at most 40 lower-case letters, digits and hyphens`);
    const isTaken = ownNames.includes(name) || joining.findIndex((other) => other.name === name) < index;
    if (isTaken) problems.push(`A subgraph ${name} exists already`);
    try {
      const typeDefs = readSchema(root, subgraph.sdl);
      problems.push(...fieldProblems(typeDefs, ownNames, grants).map((problem) => `${name}: ${problem}`));
      return NAME.test(name) && !isTaken ? [{ name, url, typeDefs }] : [];
    } catch (error) {
      problems.push(`${name}: The schema cannot be read: ${(error as Error).message}`);
      return [];
    }
  });
  try {
    const { supergraph } = composeSupergraph([...own, ...read]);
    // Ignores the enum that lists the subgraphs: it always loses the name of a removed subgraph. What clients lose is
    // reported by field.
    const lost = findBreakingChanges(schemaOf(served), schemaOf(supergraph)).filter(
      ({ description }) => !description.includes('join__'),
    );
    return {
      supergraph,
      problems: [...problems, ...lost.map(({ description }) => `It would break clients of the graph: ${description}`)],
    };
  } catch (error) {
    const lines = (error as Error).message.split('\n').map((line) => `It does not compose: ${line}`);
    return { supergraph: null, problems: [...problems, ...lines] };
  }
}

function readSchema(root: URL, sdl: string): DocumentNode {
  return parse(sdl.includes('@link') ? sdl : `${readFileSync(new URL('schema/head.graphql', root), 'utf8')}\n${sdl}`);
}

function schemaOf(supergraph: string): GraphQLSchema {
  return buildASTSchema(parse(supergraph, { noLocation: true }), { assumeValid: true, assumeValidSDL: true });
}

/** Grants that callers can hold: all those required by fields of this repository. */
function knownGrants(documents: readonly DocumentNode[]): ReadonlySet<string> {
  return new Set(
    documents
      .flatMap(objectNodes)
      .flatMap(({ fields = [] }) => fields)
      .flatMap((field) => neededGrants(field) ?? []),
  );
}

function fieldProblems(
  document: DocumentNode,
  ownNames: readonly string[],
  grants: ReadonlySet<string>,
): readonly string[] {
  return objectNodes(document).flatMap((node) => {
    const type = node.name.value;
    const isGuarded = ROOTS.includes(type) || has(node.directives, 'key');
    const keys = keyFields(node);
    return (node.fields ?? []).flatMap((field) => {
      const place = `${type}.${field.name.value}`;
      const needs = neededGrants(field);
      const unknown = (needs ?? []).filter((grant) => !grants.has(grant));
      const from = stringsOf(field.directives, 'override', 'from').filter((name) => ownNames.includes(name));
      const isOpen = isGuarded && needs === null && !keys.has(field.name.value) && !has(field.directives, 'external');
      return [
        ...unknown.map((grant) => `${place} needs the scope ${grant}, which does not exist`),
        ...from.map((name) => `${place} overrides a field of ${name}: only that subgraph may resolve it`),
        ...(isOpen ? [`${place} is open to everyone: restrict it, for example with @scope(needs: "costs:read")`] : []),
      ];
    });
  });
}

type ObjectNode = ObjectTypeDefinitionNode | ObjectTypeExtensionNode;

function objectNodes({ definitions }: DocumentNode): readonly ObjectNode[] {
  return definitions.filter((node) => node.kind === 'ObjectTypeDefinition' || node.kind === 'ObjectTypeExtension');
}

function has(directives: ObjectNode['directives'], name: string): boolean {
  return directives?.some((directive) => directive.name.value === name) ?? false;
}

/** Values of a directive's argument, for each use of the directive. */
function stringsOf(directives: ObjectNode['directives'], directive: string, argument: string): readonly string[] {
  return (directives ?? [])
    .filter(({ name }) => name.value === directive)
    .flatMap(({ arguments: args = [] }) => args)
    .flatMap(({ name, value }) => (name.value === argument && value.kind === 'StringValue' ? [value.value] : []));
}

function keyFields(node: ObjectNode): ReadonlySet<string> {
  return new Set(stringsOf(node.directives, 'key', 'fields').flatMap((fields) => fields.split(/\W+/)));
}
