# The workers of a ledger that runs elsewhere: `docker build -t outcome-ledger-workers .`, then see docs/deploy.md.
FROM node:22-slim AS pack
WORKDIR /build
COPY package.json package-lock.json tsconfig.json tsconfig.build.json README.md LICENSE ./
COPY src src
COPY functions functions
COPY lineage lineage
COPY supabase supabase
COPY docs docs
# `npm pack` builds first. Not `npm ci`: the lock file names optional packages of other platforms.
RUN npm install --ignore-scripts --no-audit --no-fund && mkdir /pack && npm pack --pack-destination /pack

FROM node:22-slim
ENV NODE_ENV=production
WORKDIR /app
# Of the optional packages the driver alone: no embedded Postgres and no embedded graph in here.
RUN --mount=type=bind,from=pack,source=/pack,target=/pack \
  npm install --omit=optional --ignore-scripts --no-audit --no-fund /pack/outcome-ledger-0.1.0.tgz neo4j-driver@^6.3.0 \
  && npm cache clean --force
USER node
EXPOSE 9464
HEALTHCHECK --interval=30s --timeout=10s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Executed without a shell, so that SIGTERM reaches it: it finishes the batch in hand.
ENTRYPOINT ["node_modules/.bin/outcome-ledger"]
# Those whose connection string is set: OUTCOME_LEDGER_SYNC_DATABASE_URL, …_SWEEP_…, …_RELAY_….
CMD ["workers", "--host", "0.0.0.0", "--port", "9464"]
