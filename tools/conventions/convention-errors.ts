/** Conventions that no compiler or linter checks. Each function returns one sentence per violation, with its fix. */
import {
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';

/** Path from the root, and text. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

const LITERAL = /`(?:[^`\\]|\\.)*`|'(?:[^'\n\\]|\\.)*'|"(?:[^"\n\\]|\\.)*"/g;
const READS_OR_WRITES = /\b(?:from|join|update|insert into|delete from)\s+(\w+)/g;
/** Written in a statement that reads across organizations. */
const EVERY_ORGANIZATION = '/* every organization */';

/** Tables that belong to an organization, in the files of their entities. */
export function tenantTables(files: readonly SourceText[]): ReadonlySet<string> {
  return new Set(
    files.flatMap(({ text }) =>
      [...text.matchAll(/tableName: '(\w+)',\s+\.\.\.tenantTable/g)].map(([, name = '']) => name),
    ),
  );
}

/**
 * Statements that use a tenant table without naming the organization. Statements with interpolated parts are not
 * checked.
 */
export function organizationErrors(files: readonly SourceText[], tables: ReadonlySet<string>): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(LITERAL)].flatMap(({ 0: literal, index }) => {
      if (/organization/i.test(literal) || literal.includes('${')) return [];
      const table = [...literal.matchAll(READS_OR_WRITES)]
        .map(([, name = '']) => name)
        .find((name) => tables.has(name));
      return table === undefined
        ? []
        : [
            `${lineOf(path, text, index)}: the statement uses ${table} without naming the organization: add \`organization_id = :organizationId\`, or ${EVERY_ORGANIZATION} if it is meant to read all of them`,
          ];
    }),
  );
}

/** Waits of a second or more without a reason: a comment in the same line or the one before. */
export function waitErrors(files: readonly SourceText[]): string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.split('\n');
    return lines.flatMap((line, index) => {
      const [, milliseconds = ''] = /\b(?:pause|sleep|setTimeout)\(([\d_]+)\)/.exec(line) ?? [];
      const hasReason = [lines[index - 1] ?? '', line].some((each) => each.includes('// '));
      if (Number(milliseconds.replaceAll('_', '')) < 1_000 || hasReason) return [];
      return [
        `${path}:${index + 1}: a fixed wait: wait for the condition with expect.poll(), or give the reason for the wait in a comment above it`,
      ];
    });
  });
}

/** Subgraphs do not ask how many nodes there are. */
export function nodeErrors(files: readonly SourceText[]): string[] {
  return files
    .filter(({ text }) => text.includes('isDistributed'))
    .map(({ path }) => `${path}: use statement({ onOneNode, onSeveralNodes }) or byNodes() instead of isDistributed`);
}

/** The last word before the end of the call or a default names an amount. */
const AMOUNT_AS_DOUBLE =
  /\.toNumber\(\)|\b(?:Number|parseFloat)\((?:\w+\??\.)*\w*(?:[cC]ost|[aA]mount|[pP]rice|[mM]argin|[rR]evenue|[sS]pent|[fF]loor)(?:\)| \?\?)/;

/** Amounts become doubles only for charts and statistics, by a function that says so. */
export function amountErrors(files: readonly SourceText[]): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        AMOUNT_AS_DOUBLE.test(line)
          ? [
              `${path}:${index + 1}: an amount becomes a double: use money() or amount() of kernel/money.ts, or approximate() for charts and statistics`,
            ]
          : [],
      ),
  );
}

const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies'];
const EXACT = /^(?:npm:.+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$|^file:/;

export function versionErrors(manifests: readonly SourceText[]): string[] {
  return manifests.flatMap(({ path, text }) => {
    const manifest = JSON.parse(text) as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
    return DEPENDENCIES.flatMap((group) =>
      Object.entries(manifest[group] ?? {})
        .filter(([, version]) => !EXACT.test(version))
        .map(
          ([name, version]) => `${path}: ${name} has the range ${version}: install it with npm install --save-exact`,
        ),
    );
  });
}

/** `api`: the public schema. */
export function graphErrors(api: GraphQLSchema): string[] {
  return Object.values(api.getTypeMap())
    .filter((type) => !isIntrospectionType(type))
    .flatMap((type) => {
      if (isEnumType(type))
        return type
          .getValues()
          .filter(({ name }) => !/^[A-Z][A-Z0-9_]*$/.test(name))
          .map(({ name }) => `enum ${type.name}: ${name} must be written ${screaming(name)}`);
      if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [];
      return Object.values(type.getFields())
        .filter(({ deprecationReason }) => typeof deprecationReason === 'string')
        .map(({ name }) => `${type.name}.${name} is deprecated: remove it, because nothing was released yet`);
    });
}

function screaming(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}

/** `documents`: texts that each name every setting in backticks or at the start of a line. */
export function settingErrors(settings: readonly string[], documents: readonly SourceText[]): string[] {
  return documents.flatMap(({ path, text }) =>
    settings
      .filter((name) => !new RegExp(`(?:\`|^#? ?)${name}\\b`, 'm').test(text))
      .map((name) => `${path} does not explain the setting ${name}: add it there`),
  );
}

const SUBJECT = /^[a-z][a-z0-9, /_-]*: [a-z].*[^.]$/;

export function subjectErrors(subjects: readonly string[]): string[] {
  return subjects
    .filter((subject) => !SUBJECT.test(subject))
    .map(
      (subject) =>
        `The commit subject "${subject}" must read "area: imperative verb object": change it with git commit --amend`,
    );
}

function lineOf(path: string, text: string, position: number): string {
  return `${path}:${text.slice(0, position).split('\n').length}`;
}
