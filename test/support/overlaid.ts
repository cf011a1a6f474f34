/** An object with some of its methods replaced; the others run on the object itself. */
export function overlaid<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get(object, name) {
      const replaced = methods[name as keyof T];
      if (replaced !== undefined) return replaced;
      const value = Reflect.get(object, name, object);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
