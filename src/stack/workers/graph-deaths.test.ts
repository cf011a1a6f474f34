import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { explainGraphDeath } from './graph-deaths.ts';

const folder = tmpdir();
const explained = (how: string, said = '') => explainGraphDeath(folder, how, said);

it('a crash speaks of damaged files, names their folder and what to do', () => {
  for (const how of ['SIGSEGV', 'SIGABRT', 'code 134']) {
    expect(explained(how)).toMatchObject({
      code: 'graph_damaged',
      message: expect.stringContaining(folder),
      remedy: expect.stringContaining(`delete ${folder}`),
    });
  }
});

it('one over files that cannot be written does not: deleting them would not help', () => {
  const said = `{"level":"info","message":"mirror active"}
terminate called after throwing an instance of 'lbug::common::IOException'
  what():  IO exception: Cannot write to file. path: /x/graph.lbug.wal fileDescriptor: 19 offsetToWrite: 25137311 numBytesToWrite: 4096 numBytesWritten: 3937. Error: Success
`;
  expect(explained('SIGABRT', said)).toMatchObject({
    code: 'graph_files',
    remedy: expect.stringContaining('the disk'),
  });
});

it('being killed says nothing about the graph', () => {
  expect([explained('SIGKILL'), explained('code 1'), explained('SIGTERM')]).toEqual([undefined, undefined, undefined]);
});

it('a folder that is gone has no disk to look at', () => {
  expect(explainGraphDeath('/nonexistent/graph', 'SIGSEGV', '')).toMatchObject({ code: 'graph_damaged' });
});
