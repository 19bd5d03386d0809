/** The environment variables of AWS's own tools, as the command line reads them. */
import { expect, it } from 'vitest';
import { fromEnvironment } from '../../../cli/books/environment.ts';

it.each([
  [{}, 'us-east-1'],
  [{ AWS_DEFAULT_REGION: 'eu-central-1' }, 'eu-central-1'],
  [{ AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'eu-central-1' }, 'eu-west-1'],
  [{ AWS_REGION: '', AWS_DEFAULT_REGION: 'eu-central-1' }, 'eu-central-1'],
])('with %j, storage is in %s', (environment, region) => {
  expect(fromEnvironment(environment).storage.region).toBe(region);
});
