/** The graph explains itself: a sentence on every type and field that a client can see. */
import {
  buildSchema,
  type GraphQLNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { expect, test } from 'vitest';
import { projectText } from '../support/project-files.ts';

const schema = buildSchema(projectText('schema/api.graphql'));
/** The roots are the graph itself. */
const roots = new Set<GraphQLNamedType | null | undefined>([schema.getQueryType(), schema.getMutationType()]);
const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

test('every type has a description', () => {
  expect(types.filter((type) => !roots.has(type) && !type.description).map(({ name }) => name)).toEqual([]);
});

test('every field has a description', () => {
  const undescribed = types.flatMap((type) =>
    isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
      ? Object.values(type.getFields())
          .filter(({ description }) => !description)
          .map(({ name }) => `${type.name}.${name}`)
      : [],
  );
  expect(undescribed).toEqual([]);
});
