/** The endpoint tables of the specification. */
export const specifiedOperations = `
GET    /v1/users
POST   /v1/users
GET    /v1/users/{username}
PUT    /v1/users/{username}
PATCH  /v1/users/{username}
DELETE /v1/users/{username}

GET    /v1/api-standards
GET    /v1/api-standards/{standardname}
POST   /v1/api-standards
PUT    /v1/api-standards/{standardname}
PATCH  /v1/api-standards/{standardname}
DELETE /v1/api-standards/{standardname}

GET    /v1/llm-definitions/{username}
POST   /v1/llm-definitions/{username}

GET    /v1/llm-services/{username}
PUT    /v1/llm-services/{username}/{instance_handle}
GET    /v1/llm-services/{username}/{instance_handle}
PATCH  /v1/llm-services/{username}/{instance_handle}
DELETE /v1/llm-services/{username}/{instance_handle}
POST   /v1/llm-services/{owner}/{instance}/share
DELETE /v1/llm-services/{owner}/{instance}/share/{user_handle}
GET    /v1/llm-services/{owner}/{instance}/shared-with

GET    /v1/projects/{username}
POST   /v1/projects/{username}
GET    /v1/projects/{username}/{projectname}
PUT    /v1/projects/{username}/{projectname}
PATCH  /v1/projects/{username}/{projectname}
DELETE /v1/projects/{username}/{projectname}
POST   /v1/projects/{owner}/{project}/share
DELETE /v1/projects/{owner}/{project}/share/{user_handle}
GET    /v1/projects/{owner}/{project}/shared-with
POST   /v1/projects/{owner}/{project}/transfer-ownership

GET    /v1/embeddings/{username}/{projectname}
POST   /v1/embeddings/{username}/{projectname}
GET    /v1/embeddings/{username}/{projectname}/{identifier}
DELETE /v1/embeddings/{username}/{projectname}/{identifier}
DELETE /v1/embeddings/{username}/{projectname}

GET    /v1/similars/{username}/{projectname}/{identifier}
POST   /v1/similars/{username}/{projectname}
`
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.replace(/ +/, ' '))
