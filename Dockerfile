# Builds the program with everything that takes, then keeps only what runs it.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=optional --ignore-scripts
COPY tsconfig.json tsconfig.build.json knexfile.ts ./
COPY scripts ./scripts
COPY src ./src
COPY migrations ./migrations
COPY seeds ./seeds
COPY docs/guides ./docs/guides
COPY CHANGELOG.md ./
RUN npm run build && npm prune --omit=dev --omit=optional --ignore-scripts

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Migrations are a step of their own, with the same image and DATABASE_OWNER_URL:
#   node dist/src/cli/migrate.js up
CMD ["node", "dist/src/server.js"]
