/**
 * Whether two values say the same as JSON: members in any order, `undefined` members as if absent.
 * The same answer as comparing `canonicalJson`, without writing either text.
 */
export function isSameJson(first: unknown, second: unknown): boolean {
  if (first === second) return true;
  if (typeof first !== 'object' || typeof second !== 'object') return false;
  if (first === null || second === null) return false;
  if (Array.isArray(first) || Array.isArray(second)) {
    return (
      Array.isArray(first) &&
      Array.isArray(second) &&
      first.length === second.length &&
      first.every((item, at) => isSameJson(item, second[at]))
    );
  }
  const others = new Map<string, unknown>(Object.entries(second));
  for (const [name, value] of Object.entries(first)) {
    if (!isSameJson(value, others.get(name))) return false;
    others.delete(name);
  }
  for (const value of others.values()) if (value !== undefined) return false;
  return true;
}
