import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The ports a data directory had last: kept, so that URLs, and tokens whose issuer they are, outlive a restart. */
export type Ports = { http?: number; postgres?: number; neo4j?: number };

export async function readPorts(dataDir: string): Promise<Ports> {
  const text = await readFile(path.join(dataDir, 'ports.json'), 'utf8').catch(() => '{}');
  return JSON.parse(text) as Ports;
}

export async function writePorts(dataDir: string, ports: Ports): Promise<void> {
  await writeFile(path.join(dataDir, 'ports.json'), `${JSON.stringify(ports)}\n`);
}
