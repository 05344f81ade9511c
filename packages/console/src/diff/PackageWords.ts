/** What became of a package, and what is to be known of it, in words. */
import type { Tone } from "../ui/StatusTone.ts"
import type { Diff } from "./Files.ts"

type PackageChange = NonNullable<Diff["packages"]>[number]

/** Added, removed, moved to another version, or the same version with another content. */
export const moveOf = ({
  from,
  to
}: Pick<PackageChange, "from" | "to">): { readonly word: string; readonly tone: Tone } =>
  from === null
    ? { word: "Added", tone: "good" }
    : to === null
      ? { word: "Removed", tone: "bad" }
      : from === to
        ? { word: "Other content", tone: "warn" }
        : { word: "Moved", tone: "run" }

/** What a person who approves wants to know, the gravest first. What nobody could say is said too. */
export const concernsOf = (change: PackageChange): ReadonlyArray<string> => {
  if (change.to === null) return []
  const { advisories, ageDays, dev, scripts } = change
  return [
    advisories === null
      ? "the registry did not say whether anything is known against it"
      : advisories !== undefined && advisories.length > 0
        ? `${advisories.length} known against it`
        : null,
    scripts === true
      ? "asks for install scripts, which never run"
      : scripts === null
        ? "nobody could say whether it has install scripts"
        : null,
    ageDays === undefined ? null : ageDays === 1 ? "1 day old" : `${ageDays} days old`,
    dev ? "only for builds and checks" : null
  ].filter((each) => each !== null)
}
