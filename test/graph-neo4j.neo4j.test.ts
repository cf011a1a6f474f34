// What every graph store promises, of a real Neo4j.
import { describeGraph } from './support/graph-suite.ts';
import { useNeo4j } from './support/neo4j.ts';
import { neo4jStore } from './support/neo4j-store.ts';

const server = useNeo4j();
describeGraph('neo4j', async () => neo4jStore(server));
