/** Finds types and fields that clients can see and that have no description. */
import {
  type GraphQLNamedType,
  type GraphQLSchema,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';

/** `Type` and `Type.field`, without the root types, which are the graph itself. */
export function undescribed(schema: GraphQLSchema): string[] {
  const roots = new Set<GraphQLNamedType | null | undefined>([schema.getQueryType(), schema.getMutationType()]);
  return Object.values(schema.getTypeMap())
    .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
    .flatMap((type) => [
      ...(roots.has(type) || type.description ? [] : [type.name]),
      ...(isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
        ? Object.values(type.getFields())
            .filter(({ description }) => !description)
            .map(({ name }) => `${type.name}.${name}`)
        : []),
    ]);
}
