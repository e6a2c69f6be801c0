/** Whether a statement only reads: one that begins `with` may write in a part of it. */
export const isRead = (text: string) =>
  /^\s*select\b/i.test(text) ||
  (/^\s*with\b/i.test(text) && !/\b(insert|update|delete|merge)\b/i.test(text))
