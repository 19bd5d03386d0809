/** Long operations of costing. What every subgraph's table has in common is in `platform/operations`. */
import { operationTable } from '../../../platform/operations/operation-table.ts';

export const OperationTable = operationTable('costing');
