import type { Routes } from '../../http/routes';
import { defaultMagicAmounts, defaultSettleAfterSeconds } from './sandbox-settings.fields';
import type { SandboxSettings } from './sandbox-settings.store';
import { sandboxContract } from './sandbox.contract';
import type { ResetsService } from './resets.service';
import type { SandboxService } from './sandbox.service';

const presentSettings = ({ bank, settleAfterSeconds, magicAmounts }: SandboxSettings) => ({
  bank,
  settle_after_seconds: settleAfterSeconds,
  magic_amounts: magicAmounts,
});

/** Adds the operations of this module to the API. */
export function sandboxRoutes(routes: Routes, sandbox: SandboxService, resets: ResetsService): void {
  routes.bind(sandboxContract.getSettings).to(async ({ principal }) => ({
    status: 200,
    body: presentSettings(await sandbox.settings(principal)),
  }));

  routes.bind(sandboxContract.putSettings).to(async ({ principal, body }) => {
    const settings = await sandbox.setSettings(principal, {
      bank: body.bank,
      settleAfterSeconds: body.settle_after_seconds ?? defaultSettleAfterSeconds,
      magicAmounts: body.magic_amounts ?? defaultMagicAmounts,
    });
    return { status: 200, body: presentSettings(settings) };
  });

  routes.bind(sandboxContract.reset).to(async ({ principal, body }) => {
    const { resetAt, resetsLeft, transactionIds } = await resets.reset(principal, body.seed ?? 'empty');
    return {
      status: 200,
      body: {
        reset_at: resetAt.toISOString(),
        resets_left: resetsLeft,
        transaction_ids: transactionIds,
      },
    };
  });

  routes.bind(sandboxContract.settle).to(async ({ principal, params, body }) => {
    const { transactionId, attempts } = await sandbox.settle(principal, params.transaction_id, {
      amountCents: body.amount,
      bankReference: body.bank_reference,
      valueDate: body.value_date,
      times: body.times ?? 1,
      afterSeconds: body.after_seconds ?? 0,
    });
    return {
      status: 200,
      body: {
        transaction_id: transactionId,
        attempts: attempts.map(({ dueAt, outcome }) => ({ due_at: dueAt.toISOString(), outcome })),
      },
    };
  });
}
