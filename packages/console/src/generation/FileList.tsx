/** What changes, file by file: counts, and the text of each in git's unified form. */
import type { ReactNode } from "react"
import { Empty } from "../ui/Empty.tsx"
import { Tag } from "../ui/Tag.tsx"
import type { Answer } from "../api/Wire.ts"

type FileDiff = Answer<"projects", "compare">["files"][number]

const kindOf = (line: string): string | undefined => {
  if (line.startsWith("@@")) return "hunk"
  if (line.startsWith("+") && !line.startsWith("+++")) return "added"
  if (line.startsWith("-") && !line.startsWith("---")) return "removed"
  return undefined
}

/** Without what git writes above the lines: the row says it. A file that is no text has nothing but that. */
const shownOf = (patch: string): string => {
  const lines = patch.search(/^@@/m)
  return (lines === -1 ? patch : patch.slice(lines)).trimEnd()
}

const Patch = ({ of: { patch, path } }: { readonly of: FileDiff }): ReactNode => (
  <pre className="patch" tabIndex={0} role="region" aria-label={`Lines of ${path}`}>
    {shownOf(patch)
      .split("\n")
      .map((line, index) => (
        <span key={index} data-line={kindOf(line)}>
          {line}
          {"\n"}
        </span>
      ))}
  </pre>
)

/** How many lines come and go. */
export const Counts = ({ added, removed }: { readonly added: number; readonly removed: number }): ReactNode => (
  <span className="counts">
    <span data-line="added">+{added}</span> <span data-line="removed">−{removed}</span>
  </span>
)

/** The first few are open. */
export const FileList = ({ files }: { readonly files: ReadonlyArray<FileDiff> }): ReactNode =>
  files.length === 0 ? (
    <Empty icon="check" title="Nothing differs">
      <p>Both have the same files.</p>
    </Empty>
  ) : (
    <ul role="list" className="compared">
      {files.map((file, index) => (
        <li key={file.path}>
          <details open={index < opened && file.patch.length < openedLength}>
            <summary>
              <span className="file-path">{file.path}</span>
              {file.status === "modified" ? null : <Tag>{file.status}</Tag>}
              <Counts added={file.additions} removed={file.deletions} />
            </summary>
            <Patch of={file} />
          </details>
        </li>
      ))}
    </ul>
  )

const opened = 3
const openedLength = 8000
