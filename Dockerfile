# The image has Node, the compiled program and its production packages. npm run test:suite image
# runs these steps in an empty folder.

# This stage only compiles. It omits the packages of the embedded PostgreSQL, which are optional
# dependencies for development and tests.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/bank-files/package.json ./packages/bank-files/
COPY packages/local-postgres/package.json ./packages/local-postgres/
RUN npm ci --omit=optional --ignore-scripts
COPY tsconfig.json tsconfig.build.json knexfile.ts CHANGELOG.md ./
COPY scripts ./scripts
COPY bin ./bin
COPY src ./src
COPY database ./database
COPY migrations ./migrations
COPY seeds ./seeds
COPY docs/guides ./docs/guides
COPY packages ./packages
RUN npm run build

# A separate stage, so that a change of the sources does not install the packages again.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/bank-files/package.json ./packages/bank-files/
COPY packages/local-postgres/package.json ./packages/local-postgres/
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 METRICS_HOST=0.0.0.0 METRICS_PORT=9464
WORKDIR /app
COPY --from=dependencies /app/package.json ./
COPY --from=dependencies /app/node_modules ./node_modules
# node_modules has links to these packages.
COPY --from=dependencies /app/packages ./packages
COPY --from=build /app/packages/bank-files/dist ./packages/bank-files/dist
COPY --from=build /app/packages/local-postgres/dist ./packages/local-postgres/dist
COPY --from=build /app/dist ./dist
COPY --from=build /app/bin ./bin
# Use a number, so that an orchestrator can check that the user is not root. Production requires
# DATABASE_URL and CREDENTIAL_PEPPERS. With them, the program writes no file, so the file system may be
# read-only, and no volume is needed.
USER 1000:1000
# The version and the commit that the image was built from: see "Container" in docs/operations/run.md.
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="contribution-service" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"
# The API and the metrics. Publish only port 3000.
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
# Use `live`, not `ready`: many engines restart an unhealthy container, and a restart does not bring
# back an unavailable database. Load balancers use /health/ready.
HEALTHCHECK --interval=15s --timeout=5s --start-period=15s CMD ["node", "dist/src/operator/cli/health.js", "live"]
# Node is process 1, so it receives the signal. The image also runs migrations, with DATABASE_OWNER_URL:
#   node dist/src/operator/cli/migrate.js up
# It also runs a separate process for deliveries, for instances with DELIVERY=off:
#   node dist/src/deliver.js
CMD ["node", "dist/src/server.js"]
