/** Each snapshot holds a connection or a trigger, and old rows, for as long as its client reads. */
export const maxSnapshots = 2
export const snapshotQueue = { queueTimeoutMs: 10_000, maxQueue: 100 }
