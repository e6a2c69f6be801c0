INSERT INTO "users" ("user_handle", "name") VALUES ('_system', 'Owner of the global LLM service definitions');
--> statement-breakpoint
INSERT INTO "api_standards" ("api_standard_handle", "description", "key_method", "key_field") VALUES
  ('provider-a', 'Embedding API of provider A: bearer token in the Authorization header. Documentation: https://provider-a.example/docs', 'auth_bearer', 'Authorization'),
  ('provider-b', 'Embedding API of provider B: bearer token in the Authorization header. Documentation: https://provider-b.example/docs', 'auth_bearer', 'Authorization'),
  ('provider-c', 'Embedding API of provider C: key in a query parameter. Documentation: https://provider-c.example/docs', 'query_param', 'key');
--> statement-breakpoint
INSERT INTO "definitions" ("owner_id", "definition_handle", "endpoint", "description", "api_standard", "model", "dimensions")
SELECT u."user_id", d.* FROM "users" u, (VALUES
  ('provider-a-large', 'https://provider-a.example/v1/embeddings', 'Large embedding model of provider A', 'provider-a', 'large', 3072),
  ('provider-a-small', 'https://provider-a.example/v1/embeddings', 'Small embedding model of provider A', 'provider-a', 'small', 1536),
  ('provider-b-v4', 'https://provider-b.example/v2/embed', 'Embedding model version 4 of provider B', 'provider-b', 'v4', 1536),
  ('provider-c-embedding-001', 'https://provider-c.example/v1/embeddings', 'Embedding model 001 of provider C', 'provider-c', 'embedding-001', 768)
) AS d WHERE u."user_handle" = '_system';
