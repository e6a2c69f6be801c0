/** Under which providers say why they refuse; what may be a mere code or status beside it last. */
const telling = ['message', 'error_message', 'error_msg', 'msg', 'detail', 'error', 'errors']
const maxDepth = 5
const maxFaults = 3

/** What a provider says in the place of vectors: a text, or what holds one as an error, at whatever depth. */
export function messageIn(answer: unknown, depth = 0): string | undefined {
  if (typeof answer === 'string') return answer.trim() || undefined
  if (typeof answer !== 'object' || answer === null || depth === maxDepth) return undefined
  if (Array.isArray(answer)) {
    const said = answer.slice(0, maxFaults).map((fault) => messageIn(fault, depth + 1))
    return said.filter(Boolean).join('; ') || undefined
  }
  for (const name of telling) {
    const said = messageIn(Reflect.get(answer, name), depth + 1)
    if (said !== undefined) return said
  }
  return undefined
}
