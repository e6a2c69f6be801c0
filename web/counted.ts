/** `1 text`, `3,779 texts` */
export const counted = (count: number): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? 'text' : 'texts'}`
