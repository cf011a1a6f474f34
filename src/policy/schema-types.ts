import { isPlainObject } from '../contract/scalars/kind.ts';

/** What the schema says about a value, as far as reading JSON depends on it; undefined where it does not. */
export type Hint =
  | { readonly kind: 'decimal' | 'string' | 'long' }
  | { readonly kind: 'set'; readonly element: Hint | undefined }
  | { readonly kind: 'record'; readonly members: ReadonlyMap<string, Hint | undefined>; readonly required: string[] };

type Node = Record<string, unknown>;

/** A schema in Cedar's JSON form, asked for the types of contexts, attributes and tags. */
export class SchemaTypes {
  readonly #namespaces: Node;
  readonly #known = new Map<string, Hint | undefined>();

  constructor(json: Node) {
    this.#namespaces = json;
  }

  /** The context of an action outside any namespace. */
  contextOf(action: string): Hint | undefined {
    return this.#once(`context ${action}`, () => {
      const applies = member(member(this.#part('', 'actions'), action), 'appliesTo');
      return this.#hint(member(applies, 'context'), '');
    });
  }

  attributesOf(entityType: string): Hint | undefined {
    return this.#once(`shape ${entityType}`, () => this.#ofEntity(entityType, 'shape'));
  }

  tagsOf(entityType: string): Hint | undefined {
    return this.#once(`tags ${entityType}`, () => this.#ofEntity(entityType, 'tags'));
  }

  declares(entityType: string): boolean {
    const { namespace, name } = split(entityType);
    return member(this.#part(namespace, 'entityTypes'), name) !== undefined;
  }

  #ofEntity(entityType: string, of: 'shape' | 'tags'): Hint | undefined {
    const { namespace, name } = split(entityType);
    return this.#hint(member(member(this.#part(namespace, 'entityTypes'), name), of), namespace);
  }

  #part(namespace: string, part: 'entityTypes' | 'actions' | 'commonTypes'): Node | undefined {
    return member(member(this.#namespaces, namespace), part);
  }

  #once(key: string, find: () => Hint | undefined): Hint | undefined {
    if (!this.#known.has(key)) this.#known.set(key, find());
    return this.#known.get(key);
  }

  #hint(node: Node | undefined, namespace: string): Hint | undefined {
    if (!node) return undefined;
    const { type } = node;
    if (type === 'Record') return this.#record(node, namespace);
    if (type === 'Set') return { kind: 'set', element: this.#hint(member(node, 'element'), namespace) };
    if (type === 'Entity') return undefined;
    const name = type === 'EntityOrCommon' || type === 'Extension' ? node['name'] : type;
    return typeof name === 'string' ? this.#named(name, namespace) : undefined;
  }

  #record(node: Node, namespace: string): Hint {
    const attributes = Object.entries(member(node, 'attributes') ?? {}).filter(([, type]) => isPlainObject(type));
    return {
      kind: 'record',
      members: new Map(attributes.map(([name, type]) => [name, this.#hint(type as Node, namespace)])),
      required: attributes.flatMap(([name, type]) => ((type as Node)['required'] === false ? [] : [name])),
    };
  }

  /** A common type, looked for in the namespace and outside any, or a type of Cedar's own. */
  #named(name: string, namespace: string): Hint | undefined {
    for (const full of name.includes('::') || namespace === '' ? [name] : [`${namespace}::${name}`, name]) {
      const place = split(full);
      const common = member(this.#part(place.namespace, 'commonTypes'), place.name);
      if (common) return this.#once(`type ${full}`, () => this.#hint(common, place.namespace));
    }
    const own = name.replace(/^__cedar::/, '').toLowerCase();
    return own === 'decimal' || own === 'string' || own === 'long' ? { kind: own } : undefined;
  }
}

function member(node: Node | undefined, name: string): Node | undefined {
  if (!node || !Object.hasOwn(node, name)) return undefined;
  const value = node[name];
  return isPlainObject(value) ? value : undefined;
}

function split(name: string): { namespace: string; name: string } {
  const at = name.lastIndexOf('::');
  return at < 0 ? { namespace: '', name } : { namespace: name.slice(0, at), name: name.slice(at + 2) };
}
