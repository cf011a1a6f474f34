import { describeGraph } from './support/graph-suite.ts';
import { startNeo4jStore } from './support/neo4j.ts';

describeGraph('neo4j', startNeo4jStore);
