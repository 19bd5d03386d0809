import type { Trouble } from '../outage/troubled-server.ts';

/** Options of the command line. */
export interface BenchOptions {
  /** Number of runs of each side. */
  readonly rounds: number;
  /** Duration of a sustained load. */
  readonly seconds: number;
  /** Durations of the database outages, run one after the other. */
  readonly outageSeconds: readonly number[];
  /** Kinds of outages. */
  readonly outageTroubles: readonly Trouble[];
  /** Sizes of the organizations whose reads are measured. */
  readonly events: readonly number[];
  /** Connections of the load and of its yardstick. */
  readonly connections: number;
  /** Number of organizations in the comparison of many with few. */
  readonly organizations: number;
  /** Measures visibility once more while backups are taken. */
  readonly withBackup: boolean;
  /** Receives short progress messages. */
  readonly progress: (message: string) => void;
}
