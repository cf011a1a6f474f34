// The health route, which every function answers before its own routes and without a token.

type Json = Record<string, unknown>;

const content = { 'application/json': { schema: { $ref: '#/components/schemas/Health' } } };

export function healthPath(name: string): Json {
  return {
    [`/${name}/health`]: {
      get: {
        tags: [name],
        operationId: `${name}Health`,
        summary: 'Is it fit to record',
        description:
          'Compares the database’s schema fingerprint and epoch with what this function was built for, and names what ' +
          'holds the feed back. Needs no token.',
        security: [],
        responses: {
          200: { description: 'Fit; `degraded` when the feed is held back for more than 30 s.', content },
          503: { description: 'Not fit: `status` is the code every request meets.', content },
        },
      },
    },
  };
}
