import type { SdkPage } from '../links';

/** The titles of the pages, which the navigation shows too. */
export const sdkPageTitles: Readonly<Record<SdkPage, string>> = {
  'sdk-reference': 'SDK reference',
  'sdk-resources': 'SDK resources',
  'sdk-statements': 'SDK statements and months',
  'sdk-options': 'SDK options and stores',
  'sdk-errors': 'SDK errors',
  'sdk-webhooks': 'SDK events and webhooks',
};
