/** The maximum number of files that an environment may upload in an hour. */
export const mostUploadsPerHour = 60;
/** After this number of lines in an hour, about 1 GB, an environment uploads no further file. */
export const mostLinesPerHour = 1_000_000;
/** The bytes of an upload are deleted after this time, even if nobody could read them. */
export const keptHours = 24;
/** The attempts to read an upload. Then it has failed. */
export const mostAttempts = 3;
