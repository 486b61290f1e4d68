import { loggable } from '../../http/errors/loggable-error';
import type { Logger } from '../../shared/logger';
import type { ProjectFiguresStore } from './project-figures.store';

export interface ProjectFigures {
  /** Waits for what is under way, and stops. */
  stop(): Promise<void>;
}

/**
 * Keeps the figures of the projects up to date. Every process asks now and then; the database gives
 * the turn to one of them at most once a minute.
 */
export function keepProjectFigures(
  store: Pick<ProjectFiguresStore, 'addUp'>,
  logger: Logger,
  intervalMs: number,
): ProjectFigures {
  let underWay: Promise<void> | undefined;

  async function addUp(): Promise<void> {
    try {
      await store.addUp();
    } catch (error) {
      // What waits is counted the next time.
      logger.warn({ error: loggable(error) }, 'figures of the projects not added up');
    } finally {
      underWay = undefined;
    }
  }

  const timer = setInterval(() => {
    underWay ??= addUp();
  }, intervalMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await underWay;
    },
  };
}
