/** Long operations of attribution. The parts common to all subgraphs are in `platform/operations`. */
import { operationTable } from '#platform/operations/operation-table.ts';

export const OperationTable = operationTable('attribution');
