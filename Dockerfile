# An image that holds Node, the compiled program and the packages that it needs, and nothing else. npm run test:suite image runs
# these very steps in an empty folder.

# Only for compiling. The packages of the embedded PostgreSQL are optional dependencies, for development and tests.
FROM node:24.21.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=optional --ignore-scripts
COPY tsconfig.json tsconfig.build.json knexfile.ts CHANGELOG.md ./
COPY scripts ./scripts
COPY bin ./bin
COPY src ./src
COPY migrations ./migrations
COPY seeds ./seeds
COPY docs/guides ./docs/guides
RUN npm run build

# Apart from the build, so that a change of the sources does not install them anew.
FROM node:24.21.0-trixie-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 METRICS_HOST=0.0.0.0 METRICS_PORT=9464
WORKDIR /app
COPY --from=dependencies /app/package.json ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/bin ./bin
# By number, so that an orchestrator sees that it is not root. With DATABASE_URL and CREDENTIAL_PEPPERS, which
# production demands, the program writes no file: the file system may be read-only, and no volume is needed.
USER 1000:1000
# The API, and the metrics: publish only the first.
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
# Live and not ready: many engines restart what is not healthy, and a restart does not bring back a database that is away.
# Whoever distributes requests asks for /health/ready.
HEALTHCHECK --interval=15s --timeout=5s --start-period=15s CMD ["node", "dist/src/operator/cli/health.js", "live"]
# Node itself is process 1 and hears the signal. The same image migrates, with DATABASE_OWNER_URL:
#   node dist/src/operator/cli/migrate.js up
# It also delivers events as a process of its own, for instances with DELIVERY=off:
#   node dist/src/deliver.js
CMD ["node", "dist/src/server.js"]
