/** What a large database is compared with. */
export const smallScale = 0.001;

/** What is allowed on the large side, times the small one. */
export const leastThroughput = 0.85;
export const mostMedian = 1.2;

/** Of a case that must stay bounded: the time for each element, times the usual. */
export const mostPerElement = 3;
