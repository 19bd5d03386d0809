/** CPU time of all participants. A busy machine distorts it less than wall-clock time. */
import { cpuMilliseconds, postgresCpuMilliseconds, serviceCpuMilliseconds } from './process-usage.ts';
import type { Service } from './start-service.ts';

/** Milliseconds. */
export interface CpuTime {
  /** The service's process and its workers, if any. */
  readonly service: number;
  /** All processes of the embedded server. */
  readonly postgres: number;
  /** The benchmark itself, which sends the load or the statements. */
  readonly sender: number;
}

/** Returns a function that returns the CPU time used since this call. */
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
