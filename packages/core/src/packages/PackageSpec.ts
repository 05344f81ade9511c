/** Names and ranges of packages, as package.json and lock files write them. */

const reserved = ["node_modules", "favicon.ico"]
const longest = 214

const isUrlSafe = (text: string): boolean => /^[A-Za-z0-9\-_.!~*'()]+$/.test(text)

/** What is wrong with a package's name, by npm's own rules for names that were ever allowed; undefined when nothing is. */
export const packageNameProblem = (name: string): string | undefined => {
  if (name === "") return "a package has a name"
  if (name.length > longest) return `a name has at most ${longest} characters`
  if (/^[._]/.test(name)) return "a name begins with no dot and no underscore"
  if (reserved.includes(name.toLowerCase())) return "the name is reserved"
  const scoped = /^@([^/]+)\/([^/]+)$/.exec(name)
  const parts = scoped === null ? [name] : scoped.slice(1)
  if (parts.some((part) => !isUrlSafe(part) || part === "." || part === ".."))
    return "a name has letters, digits and - _ . ~, and perhaps a scope in front (@scope/name)"
  if (scoped !== null && /^\./.test(scoped[2] ?? "")) return "a name begins with no dot"
  return undefined
}

const isVersionRange = (text: string): boolean => /^[\w.*^~<>=|+\s-]*$/.test(text) && text.length <= longest

/** The package that an alias stands for (`npm:name@range`), or null when the text is none. */
const aliasOf = (spec: string): { readonly name: string; readonly range: string } | null => {
  const found = /^npm:(@?[^@]+)(?:@(.*))?$/.exec(spec)
  return found === null ? null : { name: found[1] ?? "", range: found[2] ?? "*" }
}

/** Whether a text asks for a package of the registry: a range, a version, a tag or an alias; no git, URL, file or link. */
export const isRegistrySpec = (spec: string): boolean => {
  const alias = aliasOf(spec)
  if (alias !== null) return packageNameProblem(alias.name) === undefined && isVersionRange(alias.range)
  return isVersionRange(spec)
}
