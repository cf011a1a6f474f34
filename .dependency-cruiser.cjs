// The arrows of the house: which room may import which. A new room is closed until a rule here opens it.

/** Files of a room that ship; tests beside the code may reach for what they test with. */
const inRoom = (room) => ({ path: `^${room}/`, pathNot: ['\\.test\\.ts$', '/testing/'] });

/** Forbids every import of our own files but from the rooms named. */
const mayImportOnly = (room, rooms, why) => ({
  name: `${room.replaceAll('/', '-')}-imports`,
  comment: why,
  severity: 'error',
  from: inRoom(room),
  to: { path: '^(src|functions|lineage|generate|test|console|bench)/', pathNot: rooms.map((other) => `^${other}/`) },
});

/** Forbids every package but those named; built-in modules of Node too, unless the room runs on Node alone. */
const mayUsePackagesOnly = (room, packages, why, { onNode = false } = {}) => ({
  name: `${room.replaceAll('/', '-')}-packages`,
  comment: why,
  severity: 'error',
  from: inRoom(room),
  to: {
    dependencyTypesNot: onNode ? ['local', 'core'] : ['local'],
    couldNotResolve: false,
    pathNot: ['^(src|functions|lineage|generate|test)/', ...packages.map((name) => `(^|/)node_modules/${name}(/|$)`)],
  },
});

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'two files that need each other are one file, or hide a third',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-unresolvable',
      comment: 'an import that leads nowhere',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'shipped-code-needs-a-dependency',
      comment: 'what ships may not rest on a package that an install of it would not bring',
      severity: 'error',
      from: { path: '^(src|functions|lineage)/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'functions-stay-at-the-edge',
      comment: 'only the local stack serves the functions, and only it and tests may import them',
      severity: 'error',
      from: { pathNot: ['^functions/', '^src/stack/', '^test/', '^generate/', '\\.test\\.ts$'] },
      to: { path: '^functions/' },
    },
    {
      name: 'nothing-ships-a-test',
      comment: 'shipped code never imports tests, nor what generates code',
      severity: 'error',
      from: { path: '^(src|functions|lineage)/', pathNot: '\\.test\\.ts$' },
      to: { path: ['\\.test\\.ts$', '^test/', '^generate/'] },
    },
    mayImportOnly('src/contract', ['src/contract'], 'the contract stands on nothing but itself'),
    mayUsePackagesOnly('src/contract', ['zod'], 'the contract is pure: zod, no input or output, any runtime'),
    mayImportOnly('src/policy', ['src/policy', 'src/contract'], 'the policy core asks Cedar and knows no ledger'),
    mayUsePackagesOnly('src/policy', ['@cedar-policy/cedar-wasm', 'zod'], 'functions and commands share it'),
    mayImportOnly('src/database', ['src/database', 'src/contract'], 'the gateway speaks SQL and the contract'),
    mayUsePackagesOnly('src/database', ['postgres', 'zod'], 'the gateway runs on Deno as it does on Node'),
    mayImportOnly(
      'src/client',
      ['src/client', 'src/contract'],
      'an agent that wants the client alone gets the client alone',
    ),
    mayUsePackagesOnly(
      'src/client',
      ['@supabase/supabase-js', '@supabase/functions-js', 'zod'],
      'the client runs in browsers too',
    ),
    mayImportOnly(
      'functions',
      ['functions', 'src/database', 'src/policy', 'src/contract'],
      'what is deployed is what is imported',
    ),
    mayUsePackagesOnly(
      'functions',
      ['hono', '@hono/zod-openapi', 'jose', 'ajv', 'ajv-formats', 'postgres', 'zod'],
      'functions run unchanged on Deno and Node',
    ),
    mayImportOnly('src/worker', ['src/worker', 'src/database', 'src/contract'], 'what workers beside the ledger share'),
    mayUsePackagesOnly('src/worker', ['postgres'], 'a session, waits, and what a fault means', { onNode: true }),
    mayImportOnly(
      'src/sweep',
      ['src/sweep', 'src/worker', 'src/database', 'src/contract'],
      'the sweep calls one SQL function, again and again',
    ),
    mayImportOnly(
      'lineage',
      ['lineage', 'src/worker', 'src/contract'],
      'the sync worker reads the feed and writes a graph',
    ),
    mayUsePackagesOnly(
      'lineage',
      ['postgres', 'neo4j-driver', '@ladybugdb/core', 'prom-client'],
      'a container of workers holds what workers need',
      { onNode: true },
    ),
    mayImportOnly(
      'src/relay',
      ['src/relay', 'src/worker', 'src/database', 'src/contract'],
      'the relay reads the ledger through its own functions and calls what others named',
    ),
    mayImportOnly('src/runner', ['src/runner', 'src/contract'], 'what touches workspaces knows no ledger'),
    mayUsePackagesOnly('src/runner', [], 'files and processes, on Node alone', { onNode: true }),
    mayImportOnly(
      'src/stack',
      ['src/stack', 'src/database', 'src/contract', 'functions', 'lineage', 'src/relay', 'src/sweep', 'src/worker'],
      'the stack runs the parts; it knows nothing of who uses it',
    ),
    mayImportOnly(
      'src/testing',
      ['src/testing', 'src/stack', 'src/client', 'src/contract'],
      'what test suites of others get: a stack and a client',
    ),
    mayImportOnly(
      'src/cli',
      [
        'src/cli',
        'src/stack',
        'src/testing',
        'src/client',
        'src/runner',
        'src/database',
        'src/policy',
        'src/contract',
        'lineage',
      ],
      'commands use the parts, never the functions from inside',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist/', '^coverage/', '^\\.ci/', '\\.generated\\.json$'] },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json', '.d.ts'],
    },
  },
};
