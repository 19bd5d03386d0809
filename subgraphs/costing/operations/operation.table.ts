/** Long operations of costing. Code shared by all subgraphs is in `platform/operations`. */
import { operationTable } from '#platform/operations/operation-table.ts';

export const OperationTable = operationTable('costing');
