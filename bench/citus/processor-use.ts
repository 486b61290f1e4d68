import { type CitusCluster, type CitusNode, processesOf } from '../../test/support/citus/cluster';
import { endedChildrenSeconds, processorSeconds } from '../measure/processor-time';
import { type Operation, operations, type Requests } from './operations';
import type { Side } from './side';

/** CPU milliseconds of one request: of the service, the coordinator, and all workers together. */
export interface ProcessorUse {
  service: number;
  coordinator: number;
  workers: number;
}

const concurrency = 8;

const sum = (numbers: readonly (number | undefined)[]): number =>
  numbers.reduce<number>((total, number) => total + (number ?? 0), 0);

/** Of all processes of these servers, including those that have ended. */
function secondsOf(nodes: readonly CitusNode[]): number {
  const processes = nodes.flatMap((node) => processesOf(node.dataDirectory));
  return sum(processes.map(processorSeconds)) + sum(processes.map(endedChildrenSeconds));
}

/**
 * Measures CPU time under load, with all processes of the servers. The service runs its background
 * work meanwhile, as in production.
 */
export async function measureProcessorUse(
  { coordinator, workers }: CitusCluster,
  { program, requests }: Side & { requests: Requests },
  requestsEach: number,
): Promise<Record<Operation, ProcessorUse>> {
  const read = () => ({
    service: processorSeconds(program.processId) ?? NaN,
    coordinator: secondsOf([coordinator]),
    workers: secondsOf(workers),
  });
  const uses = {} as Record<Operation, ProcessorUse>;
  for (const operation of operations) {
    uses[operation] = await requests.turn(async () => {
      await requests.prepare(operation, requestsEach);
      const before = read();
      let left = requestsEach;
      const client = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await requests.play(operation);
        }
      };
      await Promise.all(Array.from({ length: concurrency }, client));
      const after = read();
      const each = (name: keyof ProcessorUse): number =>
        ((after[name] - before[name]) * 1_000) / requestsEach;
      return { service: each('service'), coordinator: each('coordinator'), workers: each('workers') };
    });
  }
  return uses;
}
