/** Which machines a package is for: `os`, `cpu` and `libc` of its package.json, in npm's words. */

/** A kind of machine, as Node names it: `linux`, `x64`, and `glibc` or `musl`. */
export interface Machine {
  readonly os: string
  readonly cpu: string
  readonly libc: string
}

/** What a lock says that a package is for. A word with `!` in front excludes. */
export interface MachineNeeds {
  readonly os: ReadonlyArray<string>
  readonly cpu: ReadonlyArray<string>
  readonly libc: ReadonlyArray<string>
}

const allows = (words: ReadonlyArray<string>, own: string): boolean => {
  if (words.includes(`!${own}`)) return false
  const wanted = words.filter((word) => !word.startsWith("!"))
  return wanted.length === 0 || wanted.includes(own) || wanted.includes("any")
}

/** Whether a package that is for these runs on this one. */
export const fits = ({ cpu, libc, os }: MachineNeeds, machine: Machine): boolean =>
  allows(os, machine.os) && allows(cpu, machine.cpu) && allows(libc, machine.libc)

const listOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : Array.isArray(value)
      ? value.filter((each): each is string => typeof each === "string")
      : []

/** The needs of an entry of a lock; what it does not say excludes nothing. */
export const needsOf = (entry: { readonly [key: string]: unknown }): MachineNeeds => ({
  os: listOf(entry["os"]),
  cpu: listOf(entry["cpu"]),
  libc: listOf(entry["libc"])
})

/** `os linux, cpu arm64`: for sentences. */
export const needsInWords = ({ cpu, libc, os }: MachineNeeds): string =>
  [
    ["os", os],
    ["cpu", cpu],
    ["libc", libc]
  ]
    .flatMap(([name, words]) => (words!.length === 0 ? [] : [`${String(name)} ${[words].flat().join(" ")}`]))
    .join(", ")
    .slice(0, 100)
