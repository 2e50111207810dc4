type Method = (...args: never[]) => unknown;

/** Defines a property like a native method. Ignores missing objects. */
export function define(object: object | undefined, name: string | symbol, value: unknown): void {
  if (object === undefined) return;
  Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
}

export function defineMethods(object: object | undefined, methods: Readonly<Record<string, Method>>): void {
  for (const [name, method] of Object.entries(methods)) define(object, name, method);
}

export function defineGetter(object: object | undefined, name: string, get: () => unknown): void {
  if (object === undefined) return;
  Object.defineProperty(object, name, { get, configurable: true, enumerable: true });
}

/** Replaces a class's constructor. */
export function defineClass(native: { readonly prototype: object }, name: string, replacement: Replacement): void {
  Object.setPrototypeOf(replacement, native);
  replacement.prototype = native.prototype;
  define(replacement, 'name', name);
  define(native.prototype, 'constructor', replacement);
  define(window, name, replacement);
}

type Replacement = Method & { prototype: object };

export function getterOf(object: object, name: string): (() => unknown) | undefined {
  const descriptor: { readonly get?: () => unknown } | undefined = Object.getOwnPropertyDescriptor(object, name);
  return descriptor?.get;
}

export function methodOf<Holder extends object, Name extends keyof Holder>(object: Holder, name: Name): Holder[Name] {
  return object[name];
}

export function classNamed(name: string): { readonly prototype: object } | undefined {
  return (window as unknown as Readonly<Record<string, { readonly prototype: object } | undefined>>)[name];
}
