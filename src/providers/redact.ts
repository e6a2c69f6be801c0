/** So many characters of a key in a row are not repeated. */
const minSecret = 5
const maxWords = 300

/**
 * What a provider said, without its key in any of the forms in which it was sent or is likely to come back,
 * and without parts of it.
 */
export function redacted(words: string, key: string | undefined): string {
  // Before it is looked at: a hostile one has millions of characters.
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
    // Of whatever stands before it, base64 is one of three.
    ...[0, 1, 2].map((skipped) => bytes.subarray(skipped).toString('base64').replace(/=+$/, '')),
    ...[0, 1, 2].map((skipped) => bytes.subarray(skipped).toString('base64url')),
    bytes.toString('hex'),
  ]
    .filter((form) => form.length >= Math.min(minSecret, key.length))
    .map(lowered)
}

/** Of as many characters as before, which `toLowerCase` does not promise. */
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
