/** Nothing published names a machine, a registry or a key, and dependencies have exact versions. */
import { expect, test, vi } from 'vitest';
import { projectFiles, projectText } from '../support/project-files.ts';
import { MINUTES } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

const BINARY = /\.(png|jpg|webp|ico|woff2?|gz|zip)$/;
/** A home directory or working copy; system paths such as /tmp and /var/lib are allowed. */
const MACHINE_PATH = /(?<![\w.~-])\/(?:home|Users|root|work|workspace|builds)\/[\w.-]+/;
const REGISTRY = /https?:\/\/[^\s"'`]*(?:registry|artifactory|nexus|verdaccio)[^\s"'`]*/;
/** Long enough to be one of our keys or a payment processor's; short ones are examples. */
const API_KEY = /\b(?:sk|rk|pk|whsec)_(?:live_|test_)?[0-9A-Za-z]{20,}/;
/** `npm:` refers to another package of which two versions are needed. */
const EXACT_VERSION = /^(?:npm:[@\w/.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;

const texts = projectFiles()
  .filter((path) => !BINARY.test(path))
  .map((path) => [path, projectText(path)] as const);

test.each([
  ['paths of a machine', MACHINE_PATH],
  ['addresses of a registry', REGISTRY],
  ['API keys', API_KEY],
])('no file contains %s', (_, pattern) => {
  const found = texts
    .filter(([, text]) => pattern.test(text))
    .map(([path, text]) => `${path}: ${pattern.exec(text)?.[0]}`);
  expect(found).toEqual([]);
});

test('the lock file contains no download locations', () => {
  expect(projectText('package-lock.json')).not.toContain('"resolved"');
});

test('the lock file contains all dependencies, including for other platforms', () => {
  const { packages } = JSON.parse(projectText('package-lock.json')) as {
    packages: Record<string, { dependencies?: object; optionalDependencies?: object }>;
  };
  const isLocked = (path: string, name: string): boolean =>
    `${path}/node_modules/${name}`.replace(/^\//, '') in packages ||
    (path !== '' && isLocked(path.slice(0, Math.max(path.lastIndexOf('/node_modules/'), 0)), name));
  const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !isLocked(path, name))
      .map((name) => `${path} needs ${name}`),
  );
  // If a registry lacks a package for another platform, npm silently leaves it out, and `npm ci` then refuses the lock
  // file.
  expect(missing).toEqual([]);
});

test('versions of dependencies are exact', () => {
  const manifest = JSON.parse(projectText('package.json')) as Record<string, Record<string, string> | undefined>;
  const wanted = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}),
  );
  expect(wanted.filter(([, version]) => !EXACT_VERSION.test(version))).toEqual([]);
});

test("an installation runs no script, with any version of npm: neither ours nor a dependency's", () => {
  expect(projectText('.npmrc').split('\n')).toContain('ignore-scripts=true');
  const { scripts } = JSON.parse(projectText('package.json')) as { scripts: Record<string, string> };
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?install$|^prepare$/.test(name))).toEqual([]);
});
