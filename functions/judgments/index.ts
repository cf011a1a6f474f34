import { createDeps } from '../_shared/deps.ts';
import { createApp } from './app.ts';

const app = createApp(createDeps(Deno.env.toObject()));

Deno.serve((request: Request) => app.fetch(request));
