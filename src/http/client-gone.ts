import type { HonoRequest } from 'hono'

/**
 * Aborts when the client hangs up before its answer is complete. Noticed while a body is being read
 * or after it; a connection is not looked at while it holds more of an unread body than its buffer.
 */
export const clientGone = ({ raw }: HonoRequest): AbortSignal => raw.signal
