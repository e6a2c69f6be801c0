/** The endpoint tables of the specification. */
export const specifiedOperations = `
/v1/users                                          GET POST
/v1/users/{user}                                   GET PUT PATCH DELETE
/v1/api-standards                                  GET POST
/v1/api-standards/{standard}                       GET PUT PATCH DELETE
/v1/llm-definitions/{user}                         GET POST
/v1/llm-services/{user}                            GET
/v1/llm-services/{user}/{instance}                 PUT GET PATCH DELETE
/v1/llm-services/{user}/{instance}/share           POST
/v1/llm-services/{user}/{instance}/share/{grantee} DELETE
/v1/llm-services/{user}/{instance}/shared-with     GET
/v1/projects/{user}                                GET POST
/v1/projects/{user}/{project}                      GET PUT PATCH DELETE
/v1/projects/{user}/{project}/share                POST
/v1/projects/{user}/{project}/share/{grantee}      DELETE
/v1/projects/{user}/{project}/shared-with          GET
/v1/projects/{user}/{project}/transfer-ownership   POST
/v1/embeddings/{user}/{project}                    GET POST DELETE
/v1/embeddings/{user}/{project}/{text_id}          GET DELETE
/v1/similars/{user}/{project}/{text_id}            GET
/v1/similars/{user}/{project}                      POST
`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [path, ...methods] = line.split(/ +/)
    return methods.map((method) => `${method} ${path}`)
  })
