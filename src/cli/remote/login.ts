import { text } from 'node:stream/consumers'
import { createClient } from '../../client/client.ts'
import type { Run } from '../flags.ts'
import { UsageError } from '../usage-error.ts'
import { checkedKey, givenKey, urlToLogIn, writeLogin } from './connection.ts'

export const login: Run = async (given, env) => {
  const url = urlToLogIn(given, env)
  const key = givenKey(given.values) ?? checkedKey((await askKey(url)).trim())
  const { data } = await createClient({ url, key }).GET('/v1/me', {
    params: { query: { limit: 1 } },
  })
  const file = writeLogin(env, { url, key })
  process.stdout.write(`${url} knows this key as ${nameOf(data)}. It is kept in ${file}\n`)
  if (env['SEMBLANCE_KEY']) {
    process.stdout.write('As long as SEMBLANCE_KEY is set, that counts instead\n')
  }
}

export const nameOf = ({ user_handle }: { user_handle?: string }) =>
  user_handle ?? 'the administrator'

/** Typed without being shown, or read from stdin. */
async function askKey(url: string): Promise<string> {
  const { stdin } = process
  if (!stdin.isTTY) return text(stdin)
  // First, so that nothing typed is shown.
  stdin.setRawMode(true).setEncoding('utf8').resume()
  process.stderr.write(`API key for ${url} (not shown): `)
  try {
    let typed = ''
    for await (const chunk of stdin) {
      for (const character of String(chunk)) {
        if (character === '\r' || character === '\n') return typed
        if (character === '\u0003' || character === '\u0004')
          throw new UsageError('no key was given')
        typed =
          character === '\u007f' || character === '\b' ? typed.slice(0, -1) : typed + character
      }
    }
    return typed
  } finally {
    stdin.setRawMode(false)
    process.stderr.write('\n')
  }
}
