import { expect, it } from 'vitest';
import {
  type GraphTarget,
  isInstalled,
  neo4jEnvironment,
  neo4jFromEnvironment,
  requireInstalled,
} from './graph-target.ts';

it('reads the variables that Aura writes, and those of others', () => {
  const aura = {
    NEO4J_URI: 'neo4j+s://x.databases.neo4j.io',
    NEO4J_USERNAME: 'u',
    NEO4J_PASSWORD: 'p',
    NEO4J_DATABASE: 'd',
  };
  expect(neo4jFromEnvironment(aura)).toEqual({
    ...{ kind: 'neo4j', uri: 'neo4j+s://x.databases.neo4j.io' },
    ...{ user: 'u', password: 'p', database: 'd' },
  });
  expect(neo4jFromEnvironment({ ...aura, NEO4J_USER: 'v' })).toMatchObject({ user: 'v' });
  expect(neo4jFromEnvironment({ NEO4J_URI: 'bolt://h:7687', NEO4J_PASSWORD: '' })).toEqual({
    kind: 'neo4j',
    uri: 'bolt://h:7687',
  });
  for (const env of [{}, { NEO4J_URI: '' }]) expect(neo4jFromEnvironment(env)).toBeUndefined();
});

it.each(['localhost:7687', 'http://h:7474', 'nonsense', 'postgres://h'])('%s is no Neo4j', (uri) => {
  expect(() => neo4jFromEnvironment({ NEO4J_URI: uri })).toThrow(/neo4j\+s:\/\//);
});

it('hands a Neo4j on through the environment as it was', () => {
  const targets: GraphTarget[] = [
    { kind: 'neo4j', uri: 'neo4j://h', user: undefined, password: undefined, database: undefined },
    { kind: 'neo4j', uri: 'neo4j://h', user: 'u', password: 'p', database: 'd' },
  ];
  // The process's own variables do not shine through.
  const before = { NEO4J_USERNAME: 'other', NEO4J_PASSWORD: 'other', NEO4J_DATABASE: 'other' };
  for (const target of targets) {
    expect(neo4jFromEnvironment({ ...before, ...neo4jEnvironment(target) })).toEqual(target);
  }
});

it('knows what is installed', () => {
  expect([isInstalled('neo4j'), isInstalled('embedded')]).toEqual([true, true]);
  expect(() => requireInstalled('neo4j')).not.toThrow();
});
