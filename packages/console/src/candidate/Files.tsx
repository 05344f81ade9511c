/** The files that a Candidate changes, without what is in them. */
import type { ReactNode } from "react"

interface File {
  readonly path: string
  readonly status: string
  readonly additions: number
  readonly deletions: number
}

const sum = (of: ReadonlyArray<File>, what: "additions" | "deletions"): number =>
  of.reduce((total, file) => total + file[what], 0)

/** "2 files, +9 −1". */
export const filesWords = (of: ReadonlyArray<File>): string =>
  `${of.length} ${of.length === 1 ? "file" : "files"}, +${sum(of, "additions")} −${sum(of, "deletions")}`

/** Their sum, and each of them. */
export const Files = ({ of }: { readonly of: ReadonlyArray<File> }): ReactNode => (
  <div className="files">
    <h3>{filesWords(of)}</h3>
    <ul role="list" tabIndex={0} aria-label="Files that it changes">
      {of.map(({ additions, deletions, path, status }) => (
        <li key={path}>
          <code>{path}</code>
          <span>
            {status} +{additions} −{deletions}
          </span>
        </li>
      ))}
    </ul>
  </div>
)
