/** Why no local Neo4j can be had here; `remedy` says what to install or change. */
export class Neo4jLocalError extends Error {
  readonly code: 'java_missing' | 'java_outdated' | 'maven_missing' | 'neo4j_not_fetched' | 'neo4j_not_started';
  readonly remedy: string;

  constructor(code: Neo4jLocalError['code'], message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Neo4jLocalError';
    this.code = code;
    this.remedy = remedy;
  }
}
