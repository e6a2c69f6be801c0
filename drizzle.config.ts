import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'postgresql',
  schema: [
    './src/db/schema.ts',
    './src/db/key-schema.ts',
    './src/db/map-schema.ts',
    './src/db/usage-schema.ts',
  ],
  out: './drizzle',
})
