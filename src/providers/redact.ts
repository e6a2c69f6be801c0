/** Any part of a key with this many characters is masked. */
const minSecret = 5
const maxWords = 300

/**
 * A provider's message without its key or parts of it, in any of the forms in which the key was
 * sent or is likely to come back.
 */
export function redacted(words: string, key: string | undefined): string {
  // Shortened first: a hostile provider may send millions of characters.
  const plain = words.slice(0, 8 * maxWords).replaceAll(/\p{C}+/gu, ' ')
  const cleaned = key === undefined || key === '' ? plain : masked(plain, formsOf(key))
  const characters = [...cleaned.trim()]
  return characters.length <= maxWords
    ? cleaned.trim()
    : `${characters.slice(0, maxWords).join('')}…`
}

const formsOf = (key: string) => {
  const bytes = Buffer.from(key)
  return [
    key,
    encodeURIComponent(key),
    JSON.stringify(key).slice(1, -1),
    [...key].reverse().join(''),
    // The base64 of a text depends on its offset within the whole, modulo three.
    ...[0, 1, 2].map((skipped) => bytes.subarray(skipped).toString('base64').replace(/=+$/, '')),
    ...[0, 1, 2].map((skipped) => bytes.subarray(skipped).toString('base64url')),
    bytes.toString('hex'),
  ]
    .filter((form) => form.length >= Math.min(minSecret, key.length))
    .map(lowered)
}

/** Keeps the length of the text, which `toLowerCase` does not guarantee. */
const lowered = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

function masked(words: string, forms: readonly string[]): string {
  const lower = lowered(words)
  const length = Math.min(minSecret, ...forms.map((form) => form.length))
  const isSecret = new Array<boolean>(words.length).fill(false)
  for (let at = 0; at + length <= lower.length; at += 1) {
    const part = lower.slice(at, at + length)
    if (forms.some((form) => form.includes(part))) isSecret.fill(true, at, at + length)
  }
  let result = ''
  for (let at = 0; at < words.length; at += 1) {
    if (!isSecret[at]) result += words[at]
    else if (!isSecret[at - 1]) result += '…'
  }
  return result
}
