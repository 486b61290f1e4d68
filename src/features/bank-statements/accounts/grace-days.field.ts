/** The number of banking days within which money must arrive, unless the account sets another. */
export const defaultGraceDays = 3;
export const mostGraceDays = 30;
