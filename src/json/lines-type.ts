/** The media type of NDJSON. */
export const linesType = 'application/x-ndjson'
const lineTypes = /^application\/(x-)?(ndjson|jsonl|jsonlines)\s*(;|$)/i

export const isLines = (contentType: string | undefined): boolean =>
  lineTypes.test(contentType?.trim() ?? '')
