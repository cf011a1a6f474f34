import { describe, expect, it } from 'vitest';
import { neo4jAddress, serverUri } from './address.ts';

describe('addresses', () => {
  it('names server and database', () => {
    expect(neo4jAddress({ uri: 'neo4j://localhost:7687' })).toBe('neo4j://localhost:7687/neo4j');
    expect(neo4jAddress({ uri: 'neo4j+s://4d1c.databases.neo4j.io', database: '4d1c' })).toBe(
      'neo4j+s://4d1c.databases.neo4j.io/4d1c',
    );
    expect(neo4jAddress({ uri: 'bolt://[::1]:7687/', database: '' })).toBe('bolt://[::1]:7687/neo4j');
    expect(serverUri('neo4j://eu.example:7687?region=west')).toBe('neo4j://eu.example:7687?region=west');
  });

  it.each([
    ['localhost:7687', /no address/],
    ['http://localhost:7474', /no address/],
    ['', /no address/],
    ['neo4j://', /no address/],
    ['neo4j://localhost:7687/reports', /NEO4J_DATABASE/],
  ])('refuses `%s` with what was expected', (uri, said) => {
    expect(() => neo4jAddress({ uri })).toThrow(expect.objectContaining({ kind: 'whole', code: 'neo4j_uri_invalid' }));
    expect(() => neo4jAddress({ uri })).toThrow(said);
    expect(() => neo4jAddress({ uri })).toThrow(/neo4j\+s:\/\//);
  });

  it('never repeats a password', () => {
    for (const uri of [
      'neo4j://neo4j:s3cret@localhost:7687',
      'neo4j:s3cret@localhost',
      'http://neo4j:s3cret@localhost',
    ]) {
      expect(() => neo4jAddress({ uri })).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('s3cret') }),
      );
    }
  });
});
