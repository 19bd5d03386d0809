/** CPU time of everything that takes part, which a busy machine distorts less than the clock on the wall. */
import { cpuMilliseconds, postgresCpuMilliseconds } from './process-usage.ts';
import type { Service } from './service.ts';

export interface CpuTime {
  /** Milliseconds of the service's process. */
  readonly node: number;
  /** Milliseconds of the embedded server, all its processes. */
  readonly postgres: number;
}

/** Gives a function that tells what has been used since. */
export function meterCpu({ pid, dataDirectory }: Pick<Service, 'pid' | 'dataDirectory'>): () => CpuTime {
  const before = read();
  return () => {
    const after = read();
    return { node: after.node - before.node, postgres: after.postgres - before.postgres };
  };
  function read(): CpuTime {
    return { node: cpuMilliseconds(pid), postgres: postgresCpuMilliseconds(dataDirectory) };
  }
}
