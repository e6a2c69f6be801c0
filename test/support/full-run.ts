/** Whether all is tried of what `npm test` tries a sample of; `npm run verify` does. */
export const isFullRun = process.env['TEST_FULL'] === '1'
