/**
 * Fields in which providers explain a refusal. Those that may hold only a code or status come last.
 */
const telling = ['message', 'error_message', 'error_msg', 'msg', 'detail', 'error', 'errors']
const maxDepth = 5
const maxFaults = 3

/**
 * Finds the error message in an answer without vectors: a text, or a field at any depth that holds
 * one.
 */
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
