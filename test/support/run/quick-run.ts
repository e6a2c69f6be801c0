/** Whether this is `npm test`: test/vitest.config.ts names the files that it leaves out. */
export const isQuickRun = process.env['TEST_QUICK'] === '1'
