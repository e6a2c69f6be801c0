import type { Context } from 'hono'
import { accepts } from 'hono/accepts'

/** Browsers accept text/html; other programs accept anything or JSON, as problems are too. */
export const isForPeople = (c: Context) =>
  accepts(c, {
    header: 'Accept',
    supports: ['application/json', 'application/problem+json', 'text/html'],
    default: 'application/json',
  }) === 'text/html'
