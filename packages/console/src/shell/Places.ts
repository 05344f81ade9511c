/** Where one can go by name: the screens of a Project, and those that belong to none. */
import type { Tab } from "../ui/TabsOpen.ts"

/** The screens of a Project, in the order of its tabs. */
export const projectPlaces = (label: string): ReadonlyArray<Tab> => {
  const at = `/p/${label}`
  return [
    { to: at, title: "Overview", whole: true },
    { to: `${at}/changes`, title: "Changes" },
    { to: `${at}/lane`, title: "Lane" },
    { to: `${at}/generations`, title: "Generations" },
    { to: `${at}/logs`, title: "Logs" },
    { to: `${at}/dead-letters`, title: "Dead letters" },
    { to: `${at}/code`, title: "Code" },
    { to: `${at}/settings`, title: "Settings" }
  ]
}

/** What Ctrl K offers beside the Projects; `label` is of the Project that one is in. */
export const commandsAt = (label: string | null): ReadonlyArray<Pick<Tab, "title" | "to">> => [
  ...(label === null ? [] : [{ to: `/p/${label}/changes?new`, title: "New Change" }, ...projectPlaces(label)]),
  { to: "/", title: "Inbox" },
  { to: "/projects", title: "All Projects" },
  { to: "/settings", title: "Account" },
  { to: "/system", title: "System" }
]

/** Whether all words that somebody typed stand in a name, in any order. */
export const isMeant = (typed: string, name: string): boolean => {
  const text = name.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
