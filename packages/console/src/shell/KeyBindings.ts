/** Which keys do what: the table, and the reading of it. No key acts on the server. */

/** Where a key leads, or what it opens. */
export type Command =
  | { readonly go: string }
  | { readonly goInProject: string }
  | { readonly goInChange: string }
  | { readonly open: "keys" | "projects" }
  | { readonly focus: "search" }
  | { readonly step: 1 | -1 }
  /** The button of the screen that has this as its `data-press`. It opens a dialog. */
  | { readonly press: string }

/** One line of the table: keys that are pressed one after the other, and what they do, in words. */
export interface Binding {
  readonly keys: string
  readonly does: string
  readonly command: Command
}

/** All of them. */
export const bindings: ReadonlyArray<Binding> = [
  { keys: "?", does: "Show these keys", command: { open: "keys" } },
  { keys: "/", does: "Search on this screen", command: { focus: "search" } },
  { keys: "j", does: "Next row", command: { step: 1 } },
  { keys: "k", does: "Row before", command: { step: -1 } },
  { keys: "a", does: "Open the dialog of what is next here", command: { press: "a" } },
  { keys: "g i", does: "Go to the Inbox", command: { go: "/" } },
  { keys: "g p", does: "Go to the Projects", command: { go: "/projects" } },
  { keys: "g c", does: "Go to the Changes of this Project", command: { goInProject: "changes" } },
  { keys: "g l", does: "Go to the lane of this Project", command: { goInProject: "lane" } },
  { keys: "d", does: "Go to the diff of this Change", command: { goInChange: "diff" } },
  { keys: "e", does: "Go to the evidence of this Change", command: { goInChange: "evidence" } }
]

/** What a key comes to: a command, the beginning of one, or nothing. */
export type Reading = { readonly command: Command } | { readonly pending: string } | null

/** Reads a key after those that wait for more (`""` for none). */
export const readKey = (pending: string, key: string): Reading => {
  const pressed = pending === "" ? key : `${pending} ${key}`
  const found = bindings.find(({ keys }) => keys === pressed)
  if (found !== undefined) return { command: found.command }
  if (bindings.some(({ keys }) => keys.startsWith(`${pressed} `))) return { pending: pressed }
  return pending === "" ? null : readKey("", key)
}

const place = "pawl.keys"

/** Whether single keys do something here: they disturb who speaks to their computer. */
export const keysAreOn = (): boolean => {
  try {
    return localStorage.getItem(place) !== "off"
  } catch {
    return true
  }
}

/** Switches them in this browser. */
export const switchKeys = (on: boolean): void => {
  try {
    if (on) localStorage.removeItem(place)
    else localStorage.setItem(place, "off")
  } catch {
    // They stay as they are.
  }
}
