/** CPU time of everything that takes part, which a busy machine distorts less than the clock on the wall. */
import { cpuMilliseconds, postgresCpuMilliseconds, serviceCpuMilliseconds } from './process-usage.ts';
import type { Service } from './start-service.ts';

/** Milliseconds. */
export interface CpuTime {
  /** Of the service's process, and of its workers where it has any. */
  readonly service: number;
  /** Of the embedded server, all its processes. */
  readonly postgres: number;
  /** Of the benchmark itself: who sends the load or the statements. */
  readonly sender: number;
}

/** Gives a function that tells what has been used since. */
export function meterCpu({ pid, dataDirectory }: Pick<Service, 'pid' | 'dataDirectory'>): () => CpuTime {
  const before = read();
  return () => {
    const after = read();
    return {
      service: after.service - before.service,
      postgres: after.postgres - before.postgres,
      sender: after.sender - before.sender,
    };
  };
  function read(): CpuTime {
    return {
      service: serviceCpuMilliseconds(pid),
      postgres: postgresCpuMilliseconds(dataDirectory),
      sender: cpuMilliseconds(process.pid),
    };
  }
}
