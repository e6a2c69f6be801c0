FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY tsconfig.json ./
COPY src src
RUN npm run build && rm dist/tsconfig.tsbuildinfo && npm prune --omit=dev

FROM node:24-slim
ENV NODE_ENV=production SERVICE_HOST=0.0.0.0 SERVICE_PORT=8880 SERVICE_DATADIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY drizzle drizzle
# The folder of the embedded database; mount a volume there, or give the SERVICE_DB* settings.
RUN install -d -o node -g node -m 700 /data
USER node
VOLUME /data
EXPOSE 8880
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SERVICE_PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
