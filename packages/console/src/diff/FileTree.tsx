/** The files of a diff by their folders: each leads to its place on the page. */
import { type ReactNode, useState } from "react"
import { Icon } from "../ui/Icon.tsx"
import { TextField } from "../ui/Field.tsx"
import { type DiffFile, foldersOf } from "./Files.ts"

const signs = { added: "+", modified: "±", deleted: "−" } as const

/** Has a field to search in, which `/` leads to. */
export const FileTree = ({
  files,
  viewed
}: {
  readonly files: ReadonlyArray<DiffFile>
  readonly viewed: ReadonlySet<string>
}): ReactNode => {
  const [search, setSearch] = useState("")
  const folders = foldersOf(files, search)
  return (
    <nav className="file-tree" aria-label="Files">
      <TextField
        label="Find a file"
        type="search"
        data-search
        value={search}
        onChange={(event) => setSearch(event.target.value)}
      />
      {folders.length === 0 ? <p className="file-note">No path has “{search}” in it.</p> : null}
      {folders.map(({ files: inFolder, name }) => (
        <div key={name}>
          <h3>{name === "" ? "Root of the project" : name}</h3>
          <ul role="list">
            {inFolder.map((file) => (
              <li key={file.path}>
                <a href={`#${file.anchor}`} data-row data-status={file.status} title={file.path}>
                  <b>
                    {signs[file.status]}
                    <span className="hidden-text"> {file.status} </span>
                  </b>
                  <span>{file.path.slice(file.path.lastIndexOf("/") + 1)}</span>
                  {viewed.has(file.mark) ? (
                    <>
                      <Icon name="check" />
                      <span className="hidden-text"> viewed</span>
                    </>
                  ) : null}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
