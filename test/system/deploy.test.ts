/** Deployment files match the service: settings, processes and ports, and validation by their own tools. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig, SETTING_NAMES } from '#platform/config.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readText = (path: string) => readFileSync(join(root, path), 'utf8');
/** Path of an external tool; empty if it is not installed. */
const pathOf = (program: string) => spawnSync('which', [program], { encoding: 'utf8' }).stdout.trim();
const systemdAnalyze = pathOf('systemd-analyze');
const kubectl = pathOf('kubectl');
/** Environment variables of Node, which are not settings of the service. */
const OF_NODE = ['NODE_COMPILE_CACHE'];

describe('every setting', () => {
  const documented = [...readText('docs/operations/configure.md').matchAll(/^\| `([A-Z_]+)` \| (.*?) \|/gm)];

  it('is documented once, and no other setting is documented', () => {
    expect(documented.map(([, name]) => name).sort()).toEqual([...SETTING_NAMES].sort());
  });

  it('is listed once in .env.example, and nothing else is', () => {
    const lines = [...readText('.env.example').matchAll(/^#?([A-Z_]+)=(.*)$/gm)];
    expect(lines.map(([, name]) => name).sort()).toEqual([...SETTING_NAMES].sort());
    // Setting the listed defaults gives the same configuration as setting nothing.
    const settings = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
    // The default of `adminUrl` depends on whether a port is set explicitly.
    expect({ ...readConfig(settings), adminUrl: null }).toEqual(readConfig({}));
  });
});

describe('the Dockerfile', () => {
  const text = readText('deploy/Dockerfile');

  it('sets existing settings, exposes its ports and starts an existing process', () => {
    const names = [...text.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
      [...line.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name),
    );
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !SETTING_NAMES.includes(name) && !OF_NODE.includes(name))).toEqual([]);
    const { port } = readConfig({});
    expect(/^EXPOSE (.*)$/m.exec(text)?.[1]).toBe(`${port} ${port + 1_000}`);
    expect(existsSync(join(root, `start/${/^CMD \["(.*)"\]$/m.exec(text)?.[1]}.ts`))).toBe(true);
  });

  it('installs dependencies before it copies the source, from files that exist', () => {
    const steps = [...text.matchAll(/^(COPY|RUN) (.*)$/gm)].map(([, step, what = '']) => ({ step, what }));
    const [dependencies, install, source] = steps;
    expect(install).toMatchObject({ step: 'RUN', what: expect.stringMatching(/^npm ci /) });
    expect(source).toEqual({ step: 'COPY', what: '. .' });
    const files = dependencies!.what.split(' ').slice(0, -1);
    expect(files).toContain('package-lock.json');
    for (const file of files) expect(existsSync(join(root, file))).toBe(true);
  });
});

it('compose uses existing settings', () => {
  const { services } = parse(readText('deploy/compose.yaml')) as {
    services: { books: { environment: Record<string, string> } };
  };
  const names = Object.keys(services.books.environment);
  expect(names.filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
});

describe('systemd', () => {
  const unit = readText('deploy/systemd/books.service');

  it('uses existing settings, and leaves the service time to stop', () => {
    const names = [...unit.matchAll(/(?<![A-Za-z])([A-Z_]{4,})=/g)].map(([, name = '']) => name);
    expect(names.filter((name) => !SETTING_NAMES.includes(name) && !OF_NODE.includes(name))).toEqual([]);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(30);
  });

  it.skipIf(systemdAnalyze === '')('finds no errors in it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'books-unit-'));
    try {
      const file = join(folder, 'books.service');
      writeFileSync(file, unit.replaceAll('/opt/books/', root).replace('User=books', 'User=root'));
      const { stdout, stderr } = spawnSync(systemdAnalyze, ['verify', file], { encoding: 'utf8' });
      expect(`${stdout}${stderr}`.split('\n').filter((line) => line.includes('books.service'))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('the manifests of Kubernetes', () => {
  interface Container {
    readonly args: readonly string[];
    readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
    readonly readinessProbe: { readonly httpGet: { readonly path: string; readonly port: string } };
    readonly startupProbe: { readonly periodSeconds: number; readonly failureThreshold: number };
    readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
    readonly volumeMounts: readonly { readonly mountPath: string }[];
  }
  interface Labels {
    readonly matchLabels: { readonly app: string; readonly process?: string; readonly tier?: string };
  }
  interface Item {
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly spec: {
      readonly replicas: number;
      readonly strategy?: { readonly type: string };
      readonly selector: Labels;
      readonly minAvailable: number;
      readonly template: {
        readonly metadata: { readonly labels: { readonly process: string; readonly tier: string } };
        readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: readonly Container[] };
      };
    };
  }
  interface Policy {
    readonly spec: {
      readonly podSelector: Labels;
      readonly ingress: readonly { readonly from?: readonly object[]; readonly ports: readonly { port: string }[] }[];
    };
  }
  const settings = (parse(readText('deploy/kubernetes/settings.yaml')) as { data: Record<string, string> }).data;
  const { items } = parse(readText('deploy/kubernetes/processes.yaml'), { merge: true }) as { items: readonly Item[] };
  const deployments = items.filter(({ kind }) => kind === 'Deployment');

  it('have usable settings, and an address for each peer that has a service', () => {
    expect(Object.keys(settings).filter((name) => !SETTING_NAMES.includes(name))).toEqual([]);
    const config = readConfig(settings);
    const services = items.filter(({ kind }) => kind === 'Service').map(({ metadata }) => `http://${metadata.name}`);
    for (const url of [config.gatewayUrl, ...Object.values(config.subgraphUrls)]) expect(services).toContain(url);
  });

  it('run every process, with probes on the operations port and time to drain', () => {
    const config = readConfig(settings);
    expect(deployments.map(({ spec }) => spec.template.spec.containers[0]!.args.join(' ')).sort()).toEqual(
      ['gateway', 'rest-adapter', ...SUBGRAPH_NAMES.flatMap((name) => [`subgraph ${name}`, `jobs ${name}`])].sort(),
    );
    for (const { spec } of deployments) {
      const [container] = spec.template.spec.containers;
      expect(existsSync(join(root, `start/${container!.args[0]}.ts`))).toBe(true);
      expect(container!.ports.map(({ containerPort }) => containerPort)).toEqual([config.port, config.operationsPort]);
      expect(container!.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'operations' });
      expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(config.drainSeconds + 10);
    }
  });

  it('replace the processes of a database as the upgrade guide demands: old ones end first', () => {
    for (const { spec } of deployments) {
      const { process, tier } = spec.template.metadata.labels;
      expect([process, spec.strategy?.type]).toEqual([process, tier === 'edge' ? undefined : 'Recreate']);
    }
  });

  it('keep a process of each kind that serves requests when a node is drained', () => {
    const budgets = items.filter(({ kind }) => kind === 'PodDisruptionBudget').map(({ spec }) => spec);
    for (const { spec } of deployments.filter(({ spec }) => spec.template.metadata.labels.tier !== 'jobs')) {
      const { process } = spec.template.metadata.labels;
      const budget = budgets.find(({ selector }) => selector.matchLabels.process === process);
      expect([process, spec.replicas > (budget?.minAvailable ?? spec.replicas)]).toEqual([process, true]);
    }
  });

  it('wait an hour for migrations, and write only to their volumes', () => {
    for (const { spec } of deployments) {
      const [container] = spec.template.spec.containers;
      const { periodSeconds, failureThreshold } = container!.startupProbe;
      expect(periodSeconds * failureThreshold).toBeGreaterThanOrEqual(3_600);
      expect(container!.securityContext.readOnlyRootFilesystem).toBe(true);
      expect(container!.volumeMounts.map(({ mountPath }) => mountPath).sort()).toEqual(['/data', '/tmp']);
    }
  });

  it('let only the gateway reach subgraphs', () => {
    const policies = (
      parse(readText('deploy/kubernetes/network.yaml'), { merge: true }) as { items: readonly Policy[] }
    ).items.map(({ spec }) => spec);
    const tiers = new Set(deployments.map(({ spec }) => spec.template.metadata.labels.tier));
    expect(new Set(policies.map(({ podSelector }) => podSelector.matchLabels.tier))).toEqual(tiers);
    const ofSubgraphs = policies.find(({ podSelector }) => podSelector.matchLabels.tier === 'subgraph')!;
    expect(ofSubgraphs.ingress.filter(({ ports }) => ports.some(({ port }) => port === 'http'))).toEqual([
      { from: [{ podSelector: { matchLabels: { app: 'books', process: 'gateway' } } }], ports: [{ port: 'http' }] },
    ]);
  });

  it.skipIf(kubectl === '')('can be built', () => {
    const built = execFileSync(kubectl, ['kustomize', 'deploy/kubernetes'], { cwd: root, encoding: 'utf8' });
    expect(built.match(/image: registry\.example\/books:/g)).toHaveLength(deployments.length);
  });
});
