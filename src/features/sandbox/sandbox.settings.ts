import { integer, onOrOff, type SettingValues } from '../../shared/setting';

export const sandboxSettings = {
  SANDBOX_REQUEST_LOG: onOrOff('on').describe(
    '`off` stops logging the requests of test environments, which partners read with GET /sandbox/requests',
  ),
  SANDBOX_RESETS_PER_DAY: integer(5, 0, 1_000).describe(
    'How often a company may reset its test environment within 24 hours. The command sandbox purge deletes the data of earlier environments after 7 days',
  ),
};

export type SandboxSettings = SettingValues<typeof sandboxSettings>;
