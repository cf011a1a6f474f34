export { SUPERUSER } from './cluster.ts';
export { freePort, requireFreePort } from './port.ts';
export { type Server, type ServerOptions, type StopMode, startServer } from './server.ts';
export { canEnter, serverUser } from './system-user.ts';
