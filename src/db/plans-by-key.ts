/**
 * Settings for plans that no statistics may change, because statistics know nothing of a new
 * project. Table scans would read the rows of all projects. A disabled sort is avoided if an index
 * has the order already, and still used if it is the only plan.
 */
export const plansByKey = { enable_seqscan: 'off', enable_bitmapscan: 'off', enable_sort: 'off' }
