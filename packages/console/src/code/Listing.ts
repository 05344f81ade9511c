/** A folder of a tree, out of the list of all its paths. Pure. */

/** What a tree has. */
export interface TreeEntry {
  readonly path: string
  readonly type: "file" | "directory"
  readonly size: number
}

/** One line of a folder. `inside` counts the files below a folder. */
export interface FolderRow {
  readonly name: string
  readonly path: string
  readonly isFolder: boolean
  readonly size: number
  readonly inside: number
}

/** What lies right in a folder (`""` is the root), folders first, each by name. Folders are made of the paths of files. */
export const folderOf = (entries: ReadonlyArray<TreeEntry>, folder: string): ReadonlyArray<FolderRow> => {
  const above = folder === "" ? "" : `${folder}/`
  const rows = new Map<string, FolderRow>()
  for (const { path, size, type } of entries) {
    if (type !== "file" || !path.startsWith(above)) continue
    const rest = path.slice(above.length)
    const end = rest.indexOf("/")
    const name = end === -1 ? rest : rest.slice(0, end)
    const before = rows.get(name)
    rows.set(name, {
      name,
      path: above + name,
      isFolder: end !== -1,
      size: (before?.size ?? 0) + size,
      inside: (before?.inside ?? 0) + 1
    })
  }
  return [...rows.values()].toSorted((a, b) => Number(b.isFolder) - Number(a.isFolder) || (a.name < b.name ? -1 : 1))
}

/** Whether a path is a file of the tree. */
export const isFile = (entries: ReadonlyArray<TreeEntry>, path: string): boolean =>
  entries.some((entry) => entry.type === "file" && entry.path === path)

/** Files whose path has these letters, at most so many. */
export const found = (entries: ReadonlyArray<TreeEntry>, letters: string, most: number): ReadonlyArray<FolderRow> => {
  const wanted = letters.trim().toLowerCase()
  return entries
    .filter(({ path, type }) => type === "file" && path.toLowerCase().includes(wanted))
    .slice(0, most)
    .map(({ path, size }) => ({ name: path, path, isFolder: false, size, inside: 1 }))
}

/** The parts of a path, each with the path that leads to it. */
export const crumbsOf = (path: string): ReadonlyArray<{ readonly name: string; readonly path: string }> =>
  path === "" ? [] : path.split("/").map((name, index, parts) => ({ name, path: parts.slice(0, index + 1).join("/") }))

/** The line of an address's fragment, `#L12`; null for none. */
export const lineIn = (fragment: string): number | null => {
  const [, digits] = /^#L(\d{1,7})$/.exec(fragment) ?? []
  return digits === undefined ? null : Number(digits)
}
