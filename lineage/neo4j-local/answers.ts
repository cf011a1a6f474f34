import { Neo4jLocalError } from './local-error.ts';

const ANSWERS_WITHIN_MS = 60_000;

/** Waits until the server answers a query over Bolt. */
export async function untilAnswers(uri: string, password: string | null): Promise<void> {
  const { default: neo4j } = await import('neo4j-driver');
  const driver = neo4j.driver(uri, password === null ? undefined : neo4j.auth.basic('neo4j', password));
  const deadline = Date.now() + ANSWERS_WITHIN_MS;
  try {
    for (;;) {
      try {
        await driver.executeQuery('return 1', {}, { database: 'neo4j' });
        return;
      } catch (error) {
        if (Date.now() > deadline) {
          throw new Neo4jLocalError(
            'neo4j_not_started',
            `The local Neo4j listens at ${uri} and does not answer: ${(error as Error).message}`,
            'Look at the server’s log for what keeps it.',
            { cause: error },
          );
        }
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  } finally {
    await driver.close();
  }
}
