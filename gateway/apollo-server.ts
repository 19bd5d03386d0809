/** Apollo Server without the parts that only a server with its own schema needs. */
import { importWithout } from '#platform/import-without.ts';
import { STAND_INS } from './stand-ins.ts';

const EXECUTABLE_SCHEMA = {
  specifier: '@graphql-tools/schema',
  importer: '/@apollo/server/dist/',
  standIn: STAND_INS,
};

export const { ApolloServer, HeaderMap } = await importWithout([EXECUTABLE_SCHEMA], () => import('@apollo/server'));
export type HeaderMap = InstanceType<typeof HeaderMap>;
