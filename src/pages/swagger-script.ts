/**
 * The documentation page's script, in addition to Swagger UI's bundle. It is a file because the
 * page's policy forbids inline scripts.
 */
export const swaggerScript = `
// An operation that needs no key does not count as authorized. Otherwise its lock would look closed.
const isAuthorized = (original) => (state, needs) =>
  original(state, needs && needs.filter((need) => need.size > 0))

// Swagger UI treats every type with 'json' in its name as JSON, and would send lines as one quoted string.
function keepLines({ fn }) {
  const sampleOf = fn.getSampleSchema
  this.fn.getSampleSchema = (schema, type, config, example) =>
    /ndjson/.test(type) && typeof example === 'string' ? example : sampleOf(schema, type, config, example)
}

// A command that is shown or sent to somebody does not give the key away.
const variables = { bash: '$SEMBLANCE_KEY', cmd: '%SEMBLANCE_KEY%', powershell: '$env:SEMBLANCE_KEY' }
function hideKey({ fn }) {
  for (const [shell, variable] of Object.entries(variables)) {
    const name = 'requestSnippetGenerator_curl_' + shell
    const print = fn[name]
    this.fn[name] = (request) =>
      print(request).replace(/['"]Authorization: Bearer .*['"]/, () => '"Authorization: Bearer ' + variable + '"')
  }
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followScheme)
followScheme()

// The key is kept as on the other pages, for this tab only. Earlier versions left it in the browser for ever.
const place = 'semblance-key'
localStorage.removeItem('authorized')
const keepKey = (original) => (given) => {
  const key = ((given.bearer && given.bearer.value) || '').trim()
  // HTTP headers allow no other characters.
  if (/^[!-~]+$/.test(key)) sessionStorage.setItem(place, key)
  return original(given)
}
const forgetKey = (original) => (names) => {
  sessionStorage.removeItem(place)
  return original(names)
}

window.ui = SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: 'openapi.json',
  // Otherwise Swagger UI asks a validator on another host.
  validatorUrl: null,
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // What was sent, as a command for each shell.
  requestSnippetsEnabled: true,
  plugins: [
    () => ({
      afterLoad(system) {
        keepLines.call(this, system)
        hideKey.call(this, system)
      },
      statePlugins: {
        auth: { wrapSelectors: { isAuthorized }, wrapActions: { authorize: keepKey, logout: forgetKey } },
      },
    }),
  ],
  onComplete: () => {
    const key = sessionStorage.getItem(place)
    if (key !== null) window.ui.preauthorizeApiKey('bearer', key)
  },
})
`
