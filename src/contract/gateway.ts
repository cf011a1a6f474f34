/** The agent that speaks for humans in the lineage (envelope spec: the HITL Gateway Agent). Its invocations are the ledger's own. */
export const HITL_GATEWAY = { id: 'os-agt-004', version: '1.0.0', domain: 'synedrix-os' } as const;
