export { freePort, requireFreePort } from './port.ts';
export { type Server, type StopMode, startServer } from './server.ts';
export { canEnter, serverUser } from './system-user.ts';
