/** The banking days that money may take after a completion, unless the account says otherwise. */
export const defaultGraceDays = 3;
export const mostGraceDays = 30;
