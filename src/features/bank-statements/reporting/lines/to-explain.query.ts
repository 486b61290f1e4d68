/** The lines `o` that a person must explain. It repeats the condition of their index. */
export const isToExplain = `o.outcome NOT IN ('matched', 'returned', 'ignored') AND o.reason IS DISTINCT FROM 'bank_charge'`;
