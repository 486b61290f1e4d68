import packageJson from '../package.json';

/** The version of the running program. */
export const { version } = packageJson;
