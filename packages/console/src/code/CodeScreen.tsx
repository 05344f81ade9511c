/** `/p/<label>/code?at=<n>&path=…`: the files of any generation, or with `tree` of any tree of the Project. */
import { type ReactNode, useState } from "react"
import { Link, useLocation, useSearchParams } from "wouter"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { useGeneration } from "../generation/GenerationQueries.ts"
import { useProjectOf } from "../project/ProjectQueries.ts"
import { generationIn } from "../generation/Window.ts"
import { useProjectHere } from "../project/Here.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { TextField } from "../ui/Field.tsx"
import { Id } from "../ui/Id.tsx"
import { Problem } from "../ui/Problem.tsx"
import { FileView } from "./FileView.tsx"
import { FolderView } from "./FolderView.tsx"
import { crumbsOf, folderOf, found, isFile, type TreeEntry } from "./Listing.ts"
import "./code.css"

/** Files that a search shows. */
const foundMost = 200

/** Which tree, as the address says it: by number, or by its id. */
type Place = { readonly at: number } | { readonly tree: string }

const addressFor = (label: string, place: Place, path: string): string => {
  const query = new URLSearchParams("at" in place ? { at: String(place.at) } : { tree: place.tree })
  if (path !== "") query.set("path", path)
  return `/p/${label}/code?${query.toString()}`
}

const Crumbs = ({ linkTo, path }: { readonly path: string; readonly linkTo: (path: string) => string }): ReactNode => (
  <nav className="crumbs" aria-label="Path">
    {path === "" ? <span>All files</span> : <Link href={linkTo("")}>All files</Link>}
    {crumbsOf(path).map((crumb) => (
      <span key={crumb.path}>
        <span aria-hidden="true"> / </span>
        {crumb.path === path ? crumb.name : <Link href={linkTo(crumb.path)}>{crumb.name}</Link>}
      </span>
    ))}
  </nav>
)

const Files = ({
  entries,
  path,
  place,
  tree
}: {
  readonly tree: string
  readonly entries: ReadonlyArray<TreeEntry>
  readonly path: string
  readonly place: Place
}): ReactNode => {
  const { label } = useProjectHere()
  const [letters, setLetters] = useState("")
  const linkTo = (to: string) => addressFor(label, place, to)
  const size = entries.find((entry) => entry.path === path)?.size ?? 0
  return (
    <>
      <div className="code-bar">
        <Crumbs path={path} linkTo={linkTo} />
        <Id id={tree} label="tree" />
      </div>
      {isFile(entries, path) ? (
        <FileView tree={tree} path={path} size={size} />
      ) : (
        <>
          <TextField
            label="Find a file"
            type="search"
            data-search
            autoComplete="off"
            value={letters}
            onChange={({ target }) => setLetters(target.value)}
          />
          <FolderView
            rows={letters.trim() === "" ? folderOf(entries, path) : found(entries, letters, foundMost)}
            linkTo={linkTo}
          />
        </>
      )}
    </>
  )
}

const Tree = ({ path, place, tree }: { readonly tree: string; readonly path: string; readonly place: Place }) => {
  const { id } = useProjectHere()
  const listing = useAnswer(keys.ofProject(id, "tree", tree), (options) =>
    api.projects.code({ params: { id }, query: { tree } }, options)
  )
  return (
    <Answered query={listing}>
      {(answer) =>
        "entries" in answer ? (
          <Files key={path} tree={tree} entries={answer.entries} path={path} place={place} />
        ) : (
          <p>The server answered a file where a tree was asked for.</p>
        )
      }
    </Answered>
  )
}

const OfGeneration = ({ at, path }: { readonly at: number; readonly path: string }): ReactNode => {
  const { id } = useProjectHere()
  const generation = useGeneration(id, at)
  return (
    <Answered query={generation}>{({ version }) => <Tree tree={version.tree} path={path} place={{ at }} />}</Answered>
  )
}

const ChooseGeneration = ({ at, head }: { readonly at: number | null; readonly head: number }): ReactNode => {
  const { label } = useProjectHere()
  const [, go] = useLocation()
  const [typed, setTyped] = useState(at === null ? "" : String(at))
  const [isAsked, setAsked] = useState(false)
  const chosen = generationIn(typed, head)
  return (
    <form
      className="code-choose"
      onSubmit={(event) => {
        event.preventDefault()
        setAsked(true)
        if (chosen !== null) go(addressFor(label, { at: chosen }, ""))
      }}
    >
      <TextField
        label="Files of generation"
        inputMode="numeric"
        autoComplete="off"
        value={typed}
        wrong={isAsked && chosen === null ? `Give a number from 0 to ${head}.` : null}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Button type="submit">Show</Button>
    </form>
  )
}

const Asked = ({ head }: { readonly head: number }): ReactNode => {
  const [asked] = useSearchParams()
  const path = asked.get("path") ?? ""
  const tree = asked.get("tree")
  const typed = asked.get("at")
  const at = tree === null ? (typed === null ? head : generationIn(typed, head)) : null
  return (
    <>
      <ChooseGeneration key={at} at={at} head={head} />
      {tree !== null ? (
        <Tree tree={tree} path={path} place={{ tree }} />
      ) : at === null ? (
        <Problem of={new Error(`There is no generation ${typed}: the newest is S${head}.`)} />
      ) : (
        <OfGeneration at={at} path={path} />
      )}
    </>
  )
}

/** Without anything in the address: the files of the head. */
export default function CodeScreen(): ReactNode {
  const { id, label, status } = useProjectHere()
  const project = useProjectOf(id)
  return (
    <Screen title="Code" lead="The files of each generation, as they are kept.">
      <Answered query={project}>
        {({ canonical }) =>
          canonical === null || status === "archived" ? (
            <Card bare>
              <Empty icon="box" title="There are no files">
                <p>
                  {status === "archived"
                    ? "The Project is archived; its source is gone."
                    : "The Project has no source yet."}
                </p>
                <LinkButton to={`/p/${label}`}>Overview</LinkButton>
              </Empty>
            </Card>
          ) : (
            <Asked head={canonical.generation} />
          )
        }
      </Answered>
    </Screen>
  )
}
