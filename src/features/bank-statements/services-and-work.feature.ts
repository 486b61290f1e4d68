import type { Core, ServiceProcess } from '../../feature';
import { systemClock } from '../../shared/clock';
import { createKnownTo } from './contributions/known-contributions';
import { createStatedContributionsStore } from './contributions/stated-contributions.store';
import { createAccountNumbersStore } from './accounts/account-numbers.store';
import { createKnownAccountsStore } from './accounts/known-accounts.store';
import { createAccountRulesStore } from './accounts/account-rules.store';
import { createAnswersService } from './answers/answers.service';
import { createAnswersStore } from './answers/answers.store';
import { createAccountDaysStore } from './days/account-days.store';
import { chooseInThread } from './days/choose-in-thread';
import { compareDay, type CompareDependencies } from './days/compare-day';
import { createDayAnswersStore } from './days/day-answers.store';
import { createDayLinesStore } from './days/day-lines.store';
import { startDayWork } from './days/day-work';
import { startFollowing } from './days/follow-changes';
import { createLaterChangesStore } from './days/later-changes.store';
import { createJudgeNow } from './decisions/judge-now';
import { createLineDecisionsService } from './decisions/line-decisions.service';
import { createLineDecisionsStore } from './decisions/line-decisions.store';
import { withoutMessage } from './failures';
import { createMonthsService } from './months/months.service';
import { createMonthsStore } from './months/months.store';
import { createStatementReading } from './reading/statement-reading';
import { createPublish } from './statements/publish-statements';
import { createStatementAccounts } from './statements/statement-accounts';
import { createStatementLinesStore } from './statements/statement-lines.store';
import { createUploadCheck } from './uploads/check-upload';
import { createStatementUploads } from './uploads/statement-uploads.service';
import { createLostDecisionsStore } from './reporting/days/lost-decisions.store';
import { createStatementUploadsStore } from './uploads/statement-uploads.store';
import { startUploadReading } from './uploads/upload-reading';
import { createUploadRecordsStore } from './uploads/upload-records.store';

const wakeAll =
  (...works: { wake(): void }[]) =>
  (): void => {
    for (const work of works) work.wake();
  };

/** Builds the services of bank statements, and starts their work in the background. */
export function composeBankStatements(
  { database, logger, pollMs }: Pick<ServiceProcess, 'database' | 'logger' | 'pollMs'>,
  { contributions, peppers }: Pick<Core, 'contributions' | 'peppers'>,
) {
  const stated = createStatedContributionsStore(database);
  const statements = createStatementLinesStore(database);
  const days = createAccountDaysStore(database);
  const changes = createLaterChangesStore(database);
  const rules = createAccountRulesStore(database);
  const numbers = createAccountNumbersStore(database);
  const dependencies: CompareDependencies = {
    ...{ days, statements, rules, stated, chooseVersion: chooseInThread },
    lines: createDayLinesStore(database),
    answers: createDayAnswersStore(database),
    knownTo: createKnownTo(stated),
  };
  const dayWork = startDayWork(dependencies, logger, pollMs);
  const following = startFollowing({ changes, days }, logger, dayWork.wake, pollMs);
  const judgeNow = createJudgeNow({
    days,
    compare: (claimed, isStopped) => compareDay(dependencies, claimed, isStopped),
    onFailure(error) {
      logger.warn({ error: withoutMessage(error) }, 'day of an account not compared at once');
    },
  });

  const store = createStatementUploadsStore(database);
  const records = createUploadRecordsStore(database);
  const reading = createStatementReading();
  const accountStore = createKnownAccountsStore(database);
  const accounts = createStatementAccounts({ store: accountStore, numbers, peppers });
  const publish = createPublish({ statements, accounts });
  const tagsOf = (environmentId: number): Promise<ReadonlySet<string>> =>
    stated.tagsVisibleLater(environmentId);
  const uploadReading = startUploadReading(
    {
      ...{ store, peppers, reading, tagsOf },
      async publish(upload) {
        // Changes from now on are followed, so none is missed after the publication.
        await changes.start(upload.claim.environmentId);
        const isPublished = await publish(upload);
        dayWork.wake();
        return isPublished;
      },
    },
    logger,
    pollMs,
  );
  return {
    ...{ rules, numbers, wakeDays: dayWork.wake, follow: following.wake },
    uploads: createStatementUploads({
      ...{ store, statements, records, peppers },
      wake: wakeAll(uploadReading, dayWork),
    }),
    uploadCheck: createUploadCheck({
      ...{ reading, accounts, tagsOf, clock: systemClock },
      companyOf: (environmentId) => records.companyOf(environmentId),
      visibleTagsOf: async (environmentId) =>
        new Set((await stated.visibleEnvironments(environmentId)).keys()),
    }),
    decisions: createLineDecisionsService({
      ...{ stated, contributions, judgeNow },
      store: createLineDecisionsStore(database),
    }),
    answers: createAnswersService({ store: createAnswersStore(database), judgeNow }),
    months: createMonthsService(
      { store: createMonthsStore(database), lost: createLostDecisionsStore(database) },
      systemClock,
    ),
    stop: () => Promise.all([uploadReading.stop(), dayWork.stop(), following.stop()]),
  };
}

export type BankStatements = ReturnType<typeof composeBankStatements>;
