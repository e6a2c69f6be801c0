# The last stage, on Node, is what "docker build ." makes; "docker build --target bun ." makes that on Bun.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json build.js build-guides.js README.md ./
COPY docs docs
COPY clients/python/README.md clients/python/
COPY src src
COPY web web
COPY clients/typescript clients/typescript
RUN npm run build && rm dist/tsconfig.tsbuildinfo && npm prune --omit=dev && rm -r src web docs clients tsconfig.json build.js build-guides.js README.md package-lock.json .npmrc
COPY drizzle drizzle
# Read by Bun alone.
COPY bunfig.toml ./

# In both: /data has the embedded database and the generated keys. Mount a volume there (-v semblance:/data), or give
# the SERVICE_DB* settings; without either, what is stored is lost with the container.
FROM oven/bun:1-slim AS bun
ENV NODE_ENV=production SERVICE_HOST=0.0.0.0 SERVICE_PORT=8880 SERVICE_DATADIR=/data
WORKDIR /app
COPY --from=build /app ./
RUN install -d -o bun -g bun -m 700 /data
USER bun
VOLUME /data
EXPOSE 8880
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["env", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "bun", "-e", "fetch(`http://127.0.0.1:${process.env.SERVICE_PORT || 8880}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["bun", "dist/main.js"]
CMD ["serve"]

FROM node:24-slim AS node
ENV NODE_ENV=production SERVICE_HOST=0.0.0.0 SERVICE_PORT=8880 SERVICE_DATADIR=/data
WORKDIR /app
COPY --from=build /app ./
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 8880
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["env", "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1", "node", "-e", "fetch(`http://127.0.0.1:${process.env.SERVICE_PORT || 8880}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
