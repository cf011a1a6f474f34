// Run by stack.http.test.ts in a process of its own, to be killed: starts a stack on the directory given (or a temporary
// one) and says where it is.
import { startStack } from '../../src/stack/index.ts';

const stack = await startStack({ dataDir: process.argv[2], quiet: true });
const { tenantId } = await stack.createTenant({ name: 'kept' });
console.log(JSON.stringify({ dataDir: stack.dataDir, adminUrl: stack.adminUrl, tenantId }));
