/** Whether a statement only reads. One that begins with `with` may write in one of its parts. */
export const isRead = (text: string) =>
  /^\s*select\b/i.test(text) ||
  (/^\s*with\b/i.test(text) && !/\b(insert|update|delete|merge)\b/i.test(text))
