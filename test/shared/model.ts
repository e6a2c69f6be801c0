/** What an instance of a test needs, of whose provider nothing is asked. */
export const modelOf = (dimensions = 3) => ({
  endpoint: 'https://provider-a.example/v1/embeddings',
  api_standard: 'provider-a',
  model: 'small',
  dimensions,
})
