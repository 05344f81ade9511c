/** A file with its lines, each with a number that leads to it. */
import { type ReactNode, useEffect, useRef, useState } from "react"
import { addressOf, api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { routes } from "../api/Routes.generated.ts"
import { bytes } from "../ui/Amounts.ts"
import { useProjectHere } from "../project/Here.ts"
import { useProjectOf } from "../project/ProjectQueries.ts"
import { Answered } from "../ui/Answered.tsx"
import { LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Outside } from "../ui/Outside.tsx"
import { lineIn } from "./Listing.ts"

/** Bytes that are shown; what is longer is read by its raw link. */
const shownBytes = 64 * 1024

interface Of {
  readonly tree: string
  readonly path: string
  readonly size: number
}

const useFragment = (): string => {
  const [fragment, setFragment] = useState(location.hash)
  useEffect(() => {
    const see = () => setFragment(location.hash)
    addEventListener("hashchange", see)
    return () => removeEventListener("hashchange", see)
  }, [])
  return fragment
}

const Lines = ({ path, text }: { readonly path: string; readonly text: string }): ReactNode => {
  const chosen = lineIn(useFragment())
  const marked = useRef<HTMLLIElement>(null)
  // The line is drawn later than the browser looks for its name.
  useEffect(() => {
    marked.current?.scrollIntoView({ block: "center" })
  }, [chosen])
  const lines = text.replace(/\n$/, "").split("\n")
  return (
    <ol className="lines" role="list" tabIndex={0} aria-label={`Lines of ${path}`}>
      {lines.map((line, index) => {
        const number = index + 1
        return (
          <li key={number} ref={number === chosen ? marked : undefined} aria-current={number === chosen}>
            <a id={`L${number}`} href={`#L${number}`} aria-label={`Line ${number}`}>
              {number}
            </a>
            <code>{line}</code>
          </li>
        )
      })}
    </ol>
  )
}

/** Nothing is asked for a file that is too long to be shown. */
const useFile = ({ path, size, tree }: Of) => {
  const { id } = useProjectHere()
  return useAnswer(
    keys.ofProject(id, "file", tree, path),
    (options) => api.projects.code({ params: { id }, query: { tree, path } }, options),
    { enabled: size <= shownBytes }
  )
}

const textIn = (answer: ReturnType<typeof useFile>["data"]): string | null =>
  answer !== undefined && "text" in answer && answer.text !== undefined ? answer.text : null

const Shown = (of: Of): ReactNode => {
  const file = useFile(of)
  return (
    <Answered query={file}>
      {(answer) => {
        const text = textIn(answer)
        return text !== null ? (
          of.size === 0 ? (
            <Empty icon="dot" title="The file is empty" />
          ) : (
            <Lines path={of.path} text={text} />
          )
        ) : (
          <Empty icon="box" title="No text">
            <p>The file is no text. Its raw form has its bytes, as base64.</p>
          </Empty>
        )
      }}
    </Answered>
  )
}

/** Leads to a Change that begins with this file: a text of canonical, as an edit builds on that. */
const Edit = (of: Of): ReactNode => {
  const { id, label } = useProjectHere()
  const isCanonical = useProjectOf(id).data?.canonical?.tree === of.tree
  const isText = textIn(useFile(of).data) !== null
  if (!isCanonical || !isText) return null
  return (
    <LinkButton size="small" to={`/p/${label}/changes?${new URLSearchParams({ edit: of.path }).toString()}`}>
      Edit
    </LinkButton>
  )
}

/** `size` in bytes. */
export const FileView = (of: Of): ReactNode => {
  const { id } = useProjectHere()
  const [method, path] = routes.projects.code
  const raw = addressOf({ method, path, params: { id }, query: { tree: of.tree, path: of.path } })
  return (
    <Card
      title={of.path.slice(of.path.lastIndexOf("/") + 1)}
      bare
      actions={
        <span className="file-facts">
          {bytes(of.size)} <Outside to={raw}>Raw</Outside>
          <Edit {...of} />
        </span>
      }
    >
      {of.size > shownBytes ? (
        <Empty icon="box" title="Too long to be shown">
          <p>
            It has {bytes(of.size)}; up to {bytes(shownBytes)} are shown. Raw has all of it, as the API answers it.
          </p>
        </Empty>
      ) : (
        <Shown {...of} />
      )}
    </Card>
  )
}
