/** Everything that stands in the way of a promotion, each with what to do. */
import type { ReactNode } from "react"
import { Icon } from "../ui/Icon.tsx"
import { type Block, blockNext, shortHashes } from "./WhatToDo.ts"

/** All at once, as the server found them. */
export const Blocks = ({
  of,
  say = (words) => words
}: {
  readonly of: ReadonlyArray<Block>
  /** What is done to the server's words before they are shown. */
  readonly say?: (words: string) => string
}): ReactNode => (
  <ul role="list" className="blocks">
    {of.map(({ code, detail }) => (
      <li key={`${code} ${detail}`} data-tone={code === "approval_missing" || code === "frozen" ? "warn" : "bad"}>
        <Icon name={code === "approval_missing" || code === "frozen" ? "clock" : "stop"} />
        <div>
          <strong>{code.replaceAll("_", " ")}</strong>
          <span className="block-detail">{say(shortHashes(detail))}</span>
          {blockNext(code) === null ? null : <p>{blockNext(code)}</p>}
        </div>
      </li>
    ))}
  </ul>
)
