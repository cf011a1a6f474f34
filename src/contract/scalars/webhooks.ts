import { EVENT_TYPE_OF_STATUS } from '../statuses.ts';
import { text } from './kind.ts';

const PORT = '(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?';
const HOST = '([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+\\])';
const LOOPBACK = '(localhost|127\\.0\\.0\\.1|\\[::1\\])';

/** No credentials and no fragment. Plain HTTP is for receivers beside a local ledger; which addresses are called at all, the relay decides. */
export const webhookUrl = text({
  rule: 'webhook_url',
  expected: 'an https:// URL of at most 2,000 characters without credentials and fragment (http:// to localhost only)',
  pattern: `^(https://${HOST}|http://${LOOPBACK})${PORT}([/?][A-Za-z0-9._~:/?@!$&'()*+,;=%-]*)?$`,
  selfTyped: true,
  maxCodePoints: 2000,
});

const HITL_EVENTS = ['os.hitl.requested', 'os.hitl.resolved', 'os.hitl.expired'];
const OWN_EVENTS = [...Object.values(EVENT_TYPE_OF_STATUS), ...HITL_EVENTS];

/** A type of the ledger's own events, or a prefix of types. */
export const eventPattern = text({
  rule: 'event_pattern',
  expected: `a type of the ledger’s own events or a prefix: ${OWN_EVENTS.join(', ')}, os.outcome.*, os.hitl.*, os.*`,
  pattern: `^(${[...OWN_EVENTS, 'os.outcome.*', 'os.hitl.*', 'os.*'].map((type) => type.replaceAll('.', '\\.').replace('*', '\\*')).join('|')})$`,
  selfTyped: true,
  maxCodePoints: 200,
});

const QUAD = '[A-Za-z0-9+/]{4}';

/** As Standard Webhooks spells symmetric secrets. */
export const webhookSecret = text({
  rule: 'webhook_secret',
  expected: 'whsec_ followed by 24 to 64 bytes in base64',
  pattern: `^whsec_((${QUAD}){8,20}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?|(${QUAD}){21}([A-Za-z0-9+/]{2}==)?)$`,
  selfTyped: true,
});
