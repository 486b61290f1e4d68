import { type OpenFile, type OpenStatementFile, openStatementFile } from './read-in-thread';
import type { Pieces } from './pieces';
import type { ReadContext } from './read-file';
import { createReadingSlots, type ReadingSlots, type SlotWait } from './reading-slots';

/**
 * Reads files within the slots of this process. A dry run waits for its slot with a limit, and its
 * request's signal stops the wait and the thread:
 *
 *     inSlot(companyId, () => read(pieces, context, work, signal), { waitMs, signal })
 */
export interface StatementReading {
  /**
   * @throws ServiceError overloaded, if no slot became free in time
   * @throws the signal's reason, if it ends the wait
   */
  inSlot<Result>(companyId: string, work: () => Promise<Result>, wait?: SlotWait): Promise<Result>;
  /**
   * Passes the file to `work`. The thread ends with `work`. It may take over the memory of
   * `pieces`.
   *
   * @throws StatementFileRefused if the file as a whole cannot be read; `work` may get it from
   *   `parts`, and must not catch it
   * @throws the error of `pieces`, or the signal's reason, if it stops the thread
   */
  read<Result>(
    pieces: Pieces,
    context: ReadContext,
    work: (opened: OpenFile) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
}

export function createStatementReading(
  open: OpenStatementFile = openStatementFile,
  slots: ReadingSlots = createReadingSlots(),
): StatementReading {
  return {
    async inSlot(companyId, work, wait) {
      const free = await slots.take(companyId, wait);
      try {
        return await work();
      } finally {
        free();
      }
    },
    async read(pieces, context, work, signal) {
      const opened = await open(pieces, context, { signal });
      try {
        signal?.throwIfAborted();
        return await work(opened);
      } finally {
        await opened.close();
      }
    },
  };
}
