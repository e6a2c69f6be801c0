/** The endpoint tables of the specification. */
export const specifiedOperations = `
GET    /v1/users
POST   /v1/users
GET    /v1/users/{user}
PUT    /v1/users/{user}
PATCH  /v1/users/{user}
DELETE /v1/users/{user}

GET    /v1/api-standards
GET    /v1/api-standards/{standard}
POST   /v1/api-standards
PUT    /v1/api-standards/{standard}
PATCH  /v1/api-standards/{standard}
DELETE /v1/api-standards/{standard}

GET    /v1/llm-definitions/{user}
POST   /v1/llm-definitions/{user}

GET    /v1/llm-services/{user}
PUT    /v1/llm-services/{user}/{instance}
GET    /v1/llm-services/{user}/{instance}
PATCH  /v1/llm-services/{user}/{instance}
DELETE /v1/llm-services/{user}/{instance}
POST   /v1/llm-services/{user}/{instance}/share
DELETE /v1/llm-services/{user}/{instance}/share/{grantee}
GET    /v1/llm-services/{user}/{instance}/shared-with

GET    /v1/projects/{user}
POST   /v1/projects/{user}
GET    /v1/projects/{user}/{project}
PUT    /v1/projects/{user}/{project}
PATCH  /v1/projects/{user}/{project}
DELETE /v1/projects/{user}/{project}
POST   /v1/projects/{user}/{project}/share
DELETE /v1/projects/{user}/{project}/share/{grantee}
GET    /v1/projects/{user}/{project}/shared-with
POST   /v1/projects/{user}/{project}/transfer-ownership

GET    /v1/embeddings/{user}/{project}
POST   /v1/embeddings/{user}/{project}
GET    /v1/embeddings/{user}/{project}/{text_id}
DELETE /v1/embeddings/{user}/{project}/{text_id}
DELETE /v1/embeddings/{user}/{project}

GET    /v1/similars/{user}/{project}/{text_id}
POST   /v1/similars/{user}/{project}
`
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.replace(/ +/, ' '))
