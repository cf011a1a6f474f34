import { describe, expect, it } from 'vitest';
import { checkPolicySet } from './check.ts';
import type { PolicySetSource } from './source.ts';

const SCHEMA = `
entity Agent = { domain: String };
entity Doc = { level: Long };
entity User;
action read, write appliesTo { principal: Agent, resource: Doc, context: { n: Long, risk_score?: decimal } };
action login appliesTo { principal: User, resource: Doc };
`;
const ANY = 'permit (principal, action, resource);';

/** Each finding as `path line:column rule`. */
async function found(source: PolicySetSource): Promise<string[]> {
  const checked = await checkPolicySet(source);
  return (checked.ok ? checked.warnings : checked.violations).map(({ path, line, column, rule }) =>
    `${path} ${line === undefined ? '-' : `${line}:${column}`} ${rule}`.trim(),
  );
}
const ok = async (source: PolicySetSource) => {
  const checked = await checkPolicySet(source);
  return checked.ok ? checked : expect.fail(JSON.stringify(checked.violations));
};

describe('a good set', () => {
  it('has the ids of its policies: @id, or the place in the text', async () => {
    const policies = `${ANY}\n@id("no writing at night") forbid (principal, action, resource) when { context.night };\n${ANY}`;
    expect(await ok({ policies })).toMatchObject({
      policy_ids: ['policy0', 'no writing at night', 'policy2'],
      schema_hash: null,
      warnings: [],
    });
  });

  it('has its ids in the order of the text, beyond ten policies too', async () => {
    const policies = Array.from({ length: 12 }, (_, i) => `@id("p${i}") ${ANY}`).join('\n');
    expect((await ok({ policies })).policy_ids).toEqual(Array.from({ length: 12 }, (_, i) => `p${i}`));
  });

  it('fits its schema, as text or as an object', async () => {
    const policies =
      'permit (principal is Agent, action == Action::"read", resource) when { resource.level < context.n };';
    const schema = {
      '': {
        entityTypes: {
          Agent: {},
          Doc: { shape: { type: 'Record', attributes: { level: { type: 'Long' } } } },
        },
        actions: {
          read: {
            appliesTo: {
              principalTypes: ['Agent'],
              resourceTypes: ['Doc'],
              context: { type: 'Record', attributes: { n: { type: 'Long' } } },
            },
          },
        },
      },
    };
    expect((await ok({ policies, schema: SCHEMA })).warnings).toEqual([]);
    expect((await ok({ policies, schema })).warnings).toEqual([]);
  });

  it('may have annotations named like an effect', async () => {
    const policies = `@permit(")") @forbid("x") @id("a")\n${ANY}`;
    expect((await ok({ policies })).policy_ids).toEqual(['a']);
  });

  it('may hold strings and comments that look like something else', async () => {
    const policies = `// ; ?principal (((( "\n${ANY} // permit(\n@id("; ?x \\" }")\nforbid (principal, action, resource) when { context.s == "?principal; (((" };`;
    expect((await ok({ policies })).policy_ids).toEqual(['policy0', '; ?x " }']);
  });
});

describe('the hash of a set', () => {
  const hash = async (source: PolicySetSource) => (await ok(source)).hash;

  it('is over the exact bytes: of a comment, of white space, of the schema', async () => {
    const hashes = await Promise.all(
      [
        { policies: ANY },
        { policies: `${ANY}\n` },
        { policies: `// why\n${ANY}` },
        { policies: ANY, schema: SCHEMA },
        { policies: ANY, schema: `${SCHEMA} ` },
      ].map(hash),
    );
    expect(new Set(hashes).size).toBe(5);
    for (const one of hashes) expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(await hash({ policies: ANY, schema: null })).toBe(hashes[0]);
  });

  it('is what its description says, so that others can compute it', async () => {
    // printf 'cedar policy set 1\n%s\nnone\n' "$(printf 'permit (principal, action, resource);' | sha256sum | cut -c-64)" | sha256sum
    expect(await hash({ policies: ANY })).toBe('ee604a15f1f06a6a79085ec8f9801327dc51e8677d23881ae8690955143a016f');
  });

  it('of a schema object is independent of the order of members', async () => {
    const schema = (reversed: boolean) => {
      const types = { Agent: { memberOfTypes: [] }, Doc: {} };
      const actions = { read: { appliesTo: { principalTypes: ['Agent'], resourceTypes: ['Doc'] } } };
      return {
        '': reversed ? { actions, entityTypes: { Doc: {}, Agent: types.Agent } } : { entityTypes: types, actions },
      };
    };
    const [one, other] = [
      await ok({ policies: ANY, schema: schema(false) }),
      await ok({ policies: ANY, schema: schema(true) }),
    ];
    expect(one.hash).toBe(other.hash);
    expect(one.schema_hash).toBe(other.schema_hash);
  });
});

describe('faults of the policies', () => {
  it.each<[string, string, string[]]>([
    ['nothing', '', ['/policies - policy_empty']],
    ['white space and comments', ' \n// permit (principal, action, resource);\n', ['/policies - policy_empty']],
    ['no Cedar at all', 'hello', ['/policies 1:6 policy_syntax']],
    ['no semicolon', 'permit (principal, action, resource)', ['/policies 1:37 policy_syntax']],
    ['an open string', `${ANY}\npermit (principal, action, resource) when { "abc };`, ['/policies 2:45 policy_syntax']],
    ['a byte order mark', `\ufeff${ANY}`, ['/policies 1:1 policy_syntax']],
    [
      'several, all of them told, after text of many bytes',
      `// äöü 😀\npermit (principal, action == , resource);\nforbid (principal, action, resource) when { context.x == "ä😀" && };\nfoo;`,
      ['/policies 2:30 policy_syntax', '/policies 3:66 policy_syntax', '/policies 4:4 policy_syntax'],
    ],
    ['a template', `${ANY}\n  permit (principal == ?principal, action, resource);`, ['/policies 2:24 policy_template']],
    ['two policies of one id', `@id("a") ${ANY}\n@id("b") ${ANY}\n @id("a") ${ANY}`, ['/policies 3:2 policy_id']],
    ['an id that a number would give', `@id("policy1") ${ANY}\n${ANY}`, ['/policies 2:1 policy_id']],
    ['an empty id', `@id("") ${ANY}`, ['/policies 1:1 policy_id']],
    ['an id without a value', `@id ${ANY}`, ['/policies 1:1 policy_id']],
    ['an id of 201 characters', `@id("${'😀'.repeat(201)}") ${ANY}`, ['/policies 1:1 policy_id']],
    ['an id with U+0000', `@id("a\\0b") ${ANY}`, ['/policies 1:1 policy_id']],
    ['the id that says that nothing matched', `@id("default-deny") ${ANY}`, ['/policies 1:1 policy_id']],
    ['an annotation twice', `@id("a") @id("b") ${ANY}`, ['/policies 1:10 policy_syntax']],
    ['U+0000', `${ANY}\n// \0`, ['/policies 2:4 text_storable']],
    ['half a surrogate pair', `${ANY}// 😀\ud83d`, ['/policies 1:42 text_storable']],
  ])('%s', async (_, policies, expected) => {
    expect(await found({ policies })).toEqual(expected);
  });

  it.each<[string, string]>([
    ['forbid', '@decision("escalat")'],
    ['forbid', '@decision("allow")'],
    ['forbid', '@decision'],
    ['permit', '@decision("escalate")'],
    ['permit', '@decision("block")'],
    ['permit', '@risk_score("1.2")'],
    ['permit', '@risk_score("NaN")'],
    ['permit', '@risk_score("0.12345")'],
    ['permit', '@risk_score(".5")'],
    ['permit', '@risk_score("-0.1")'],
    ['permit', '@risk_score'],
    ['permit', '@requires_hitl'],
    ['permit', '@requires_hitl("yes")'],
    ['forbid', '@requires_hitl("true")'],
    ['forbid', '@decision("block") @requires_hitl("true")'],
    ['forbid', '@decision("escalate") @requires_hitl("false")'],
  ])('%s with %s', async (effect, annotations) => {
    const policies = `${ANY}\n@id("x") ${annotations}\n${effect} (principal, action, resource);`;
    expect(await found({ policies })).toEqual(['/policies 2:1 policy_annotation']);
  });

  it('sizes', async () => {
    expect(await found({ policies: `// ${'ä'.repeat(131_072)}\n${ANY}` })).toEqual(['/policies - too_large']);
    expect(await found({ policies: `${ANY}// ${'x'.repeat(262_144 - ANY.length - 3)}` })).toEqual([]);
    expect(await found({ policies: ANY, schema: `${SCHEMA}// ${'x'.repeat(262_144)}` })).toEqual([
      '/schema - too_large',
    ]);
    const many = (count: number) => 'forbid(principal,action,resource)when{context.x};'.repeat(count);
    expect(await found({ policies: `${many(999)}${ANY}` })).toEqual([]);
    expect(await found({ policies: `${many(1_000)}${ANY}` })).toEqual(['/policies - too_many']);
  });

  it('what is no text', async () => {
    for (const policies of [undefined, null, 1, {}, [ANY]]) {
      expect(await found({ policies } as never)).toEqual(['/policies - text']);
    }
    expect(await found({ policies: ANY, schema: 7 } as never)).toEqual(['/schema - text']);
    expect(await found({ policies: ANY, schema: [] } as never)).toEqual(['/schema - text']);
    expect(await found({ policies: ANY, schema: { '': { entityTypes: { Agent: new Date() } } } })).toEqual([
      '/schema//entityTypes/Agent - text',
    ]);
  });

  it('say what was expected and what to do', async () => {
    const checked = await checkPolicySet({ policies: 'permit (principal, actio, resource);' });
    expect(checked).toEqual({
      ok: false,
      violations: [
        {
          path: '/policies',
          rule: 'policy_syntax',
          message: 'found an invalid variable in the policy scope: actio',
          line: 1,
          column: 20,
          remedy: expect.stringMatching(
            /^Policy scopes must contain a `principal`, `action`, and `resource` .* Correct/,
          ),
        },
      ],
    });
  });

  it('are cut at a hundred', async () => {
    expect(await found({ policies: 'permit (principal, action, resource) when { 1 + };'.repeat(500) })).toHaveLength(
      100,
    );
  });

  it('take no long time to find in a text that is nothing but faults', async () => {
    const started = performance.now();
    for (const noise of ['permit ', '; ', '"', '@', ') ', 'permit(principal == ?principal,action,resource);']) {
      expect((await checkPolicySet({ policies: noise.repeat(262_144 / noise.length) })).ok).toBe(false);
    }
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});

describe('faults of the schema', () => {
  it.each<[string, string | object, string[]]>([
    ['no Cedar', 'entity Ä;', ['/schema 1:8 schema_invalid']],
    ['an open bracket', '// 😀\nentity Agent = { a: Long ', ['/schema 2:25 schema_invalid']],
    ['a type that is not declared', `${SCHEMA}entity X = { a: Strin };`, ['/schema 7:17 schema_invalid']],
    ['a type declared twice', `${SCHEMA}entity Agent;`, ['/schema 2:8 schema_invalid']],
    ['a cycle of types', `${SCHEMA}type A = B; type B = A;`, ['/schema 7:1 schema_invalid']],
    ['nothing', '', ['/schema - schema_model']],
    ['an object that is no schema', { '': { entityTypes: { Agent: {} } } }, ['/schema - schema_invalid']],
    [
      'no principal of ours',
      'entity User, Doc; action read appliesTo { principal: User, resource: Doc };',
      ['/schema - schema_model'],
    ],
    [
      'principals in a namespace',
      'namespace Art { entity Agent, Doc; action read appliesTo { principal: Agent, resource: Doc }; }',
      ['/schema - schema_model'],
    ],
    [
      'no action for any resource',
      {
        '': {
          entityTypes: { Agent: {} },
          actions: { read: { appliesTo: { principalTypes: ['Agent'], resourceTypes: [] } } },
        },
      },
      ['/schema - schema_model'],
    ],
    ['no action', 'entity Agent;', ['/schema - schema_model']],
    [
      'no action for a principal of ours',
      'entity Agent, User; action read appliesTo { principal: User, resource: User };',
      ['/schema - schema_model'],
    ],
    [
      'a principal that needs what the ledger does not have, or has as text',
      'type No = Long; entity Agent = { clearance: Long, version: No, domain?: String }; action read appliesTo { principal: Agent, resource: Agent };',
      ['/schema - schema_model', '/schema - schema_model'],
    ],
  ])('%s', async (_, schema, expected) => {
    expect(await found({ policies: ANY, schema })).toEqual(expected);
  });

  it('are told together with those of the policies', async () => {
    expect(await found({ policies: 'permit', schema: 'entity' })).toEqual([
      '/policies 1:7 policy_syntax',
      '/schema 1:7 schema_invalid',
    ]);
  });
});

describe('policies against the schema', () => {
  it.each<[string, string, string]>([
    ['an attribute that is missing', 'context.m == 1', '1:54'],
    ['types that differ', '"ä" == context.n', '1:54'],
    ['an optional attribute that is not tested', '"ä" == "ä" && context.risk_score.lessThan(decimal("0.5"))', '1:68'],
    ['a bad decimal', 'decimal("x") == decimal("0.5")', '1:54'],
  ])('%s', async (_, condition, place) => {
    const policies = `permit (principal is Agent, action, resource) when { ${condition} };`;
    expect(await found({ policies, schema: SCHEMA })).toEqual([`/policies ${place} policy_invalid`]);
  });

  it('names the policy by its id, not by its number', async () => {
    const policies = `@id("mine") permit (principal, action == Action::"delete", resource);`;
    const checked = await checkPolicySet({ policies, schema: SCHEMA });
    const [first] = checked.ok ? [] : checked.violations.filter(({ rule }) => rule === 'policy_invalid');
    expect(first).toMatchObject({ line: 1, column: 42, message: 'mine: unrecognized action `Action::"delete"`' });
  });

  it('is given up, and said, where it would take minutes', async () => {
    const types = (name: string) => Array.from({ length: 10 }, (_, i) => `${name}${i}`);
    const actions = Array.from({ length: 30 }, (_, i) => `a${i}`).join(', ');
    const schema = `entity Agent, ${types('P')}, ${types('R')}; action ${actions} appliesTo { principal: [Agent, ${types('P')}], resource: [${types('R')}] };`;
    expect(await found({ policies: ANY.repeat(100), schema })).toEqual(['/schema - validation_work']);
  });
});

describe('a set that never matches', () => {
  const NEVER = [
    'false',
    '!true',
    '1 == 2',
    '"a" == "b"',
    'true && false',
    'context.a && false',
    'false && context.a',
    '2 < 1',
    'if true then false else context.a',
    'false || !true',
    '-1 > 0',
    'if context.a then false else 1 != 1',
  ];
  it.each(NEVER)('when { %s }', async (condition) => {
    const policies = `\npermit (principal, action, resource) when { ${condition} };`;
    expect(await found({ policies })).toEqual(['/policies - never_matches', '/policies 2:1 never_matches']);
  });

  it.each([
    'true',
    'context.a',
    '!(false && context.a)',
    'context.a || true',
    '1 == 1',
    'false || context.a',
    'if context.a then true else false',
    '9223372036854775807 == 9223372036854775806',
    '"1" != "2"',
  ])('but it may when { %s }', async (condition) => {
    expect(await found({ policies: `permit (principal, action, resource) when { ${condition} };` })).toEqual([]);
  });

  it.each([
    'permit (principal == User::"ada", action, resource);',
    'permit (principal is User, action, resource);',
    'permit (principal is Art::Agent, action, resource);',
    'permit (principal, action == Art::Action::"read", resource);',
    'permit (principal, action, resource) unless { true };',
    'permit (principal, action, resource) when { context.a } unless { 1 == 1 };',
  ])('%s', async (policies) => {
    expect(await found({ policies })).toEqual(['/policies - never_matches', '/policies 1:1 never_matches']);
  });

  it.each([
    'permit (principal is Doc, action, resource);',
    'permit (principal, action == Action::"login", resource);',
    'permit (principal, action, resource) when { context has n && context.n == 1 && !(context has n) };',
  ])('by the schema: %s', async (policies) => {
    expect(await found({ policies, schema: SCHEMA })).toEqual([
      '/policies - never_matches',
      '/policies 1:1 never_matches',
    ]);
  });

  it('is refused with every policy named', async () => {
    const policies = `@id("one") permit (principal, action, resource) when { false };\n@id("two") forbid (principal is User, action, resource);`;
    const checked = await checkPolicySet({ policies });
    expect(checked.ok ? [] : checked.violations.map(({ message }) => message)).toEqual([
      'must hold a policy that can apply to some request; none of these ever can',
      'one can never apply: its conditions can never hold',
      'two can never apply: its principal is of type User, but every request has an Agent or a Workflow',
    ]);
  });

  it('is a warning where another policy can', async () => {
    const policies = `${ANY}\nforbid (principal, action, resource) when { false };`;
    expect(await ok({ policies })).toMatchObject({ warnings: [{ rule: 'never_matches', line: 2 }] });
    expect(await ok({ policies, schema: SCHEMA })).toMatchObject({ warnings: [{ rule: 'never_matches', line: 2 }] });
  });

  it('is not what a set that only forbids is: that is a warning', async () => {
    expect(await found({ policies: 'forbid (principal, action, resource);' })).toEqual(['/policies - never_allows']);
    expect(
      await found({
        policies: `permit (principal, action, resource) when { false };\nforbid (principal, action, resource);`,
      }),
    ).toEqual(['/policies - never_allows', '/policies 1:1 never_matches']);
  });
});

describe('warnings', () => {
  it.each(['risk_scor', 'riskScore', 'require_hitl', 'requiresHITL', 'Decision', 'decison'])('@%s', async (name) => {
    expect(await found({ policies: `\n @${name}("x") ${ANY}` })).toEqual(['/policies 2:2 annotation_unknown']);
  });

  it.each(['owner', 'reason', 'description', 'ticket', 'ID', 'it'])('none of @%s', async (name) => {
    expect(await found({ policies: `@${name}("x") ${ANY}` })).toEqual([]);
  });

  it('of Cedar: letters of another script', async () => {
    const policies = `${ANY}\npermit (principal, action, resource) when { principal.domain == "аrt" };`;
    expect(await found({ policies, schema: SCHEMA.replace('principal: User', 'principal: Agent') })).toEqual([
      '/policies 2:65 policy_warning',
    ]);
  });
});
