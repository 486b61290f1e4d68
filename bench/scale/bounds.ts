/** The scale with which a large database is compared. */
export const smallScale = 0.001;

/** Bounds of the ratio of the large scale to the small scale. */
export const leastThroughput = 0.85;
export const mostMedian = 1.2;

/** Maximum time per element of a bounded case, relative to a typical case. */
export const mostPerElement = 3;
