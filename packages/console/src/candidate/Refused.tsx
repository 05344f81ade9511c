/** An action that the server refused: its words, every block, and what to do. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { asRefusal, Refusal } from "../api/Refusal.ts"
import { Problem } from "../ui/Problem.tsx"
import { Blocks } from "./Blocks.tsx"
import { blocksIn, refusalNext } from "./WhatToDo.ts"

/** The words of a refusal with blocks say them all in one line: they stand below, one by one. */
const withoutDetail = (of: unknown): Refusal => new Refusal({ ...asRefusal(of), detail: "Nothing was promoted." })

/** Nothing for null. */
export const Refused = ({ of }: { readonly of: unknown }): ReactNode => {
  if (of === null) return null
  const blocks = blocksIn(of)
  const next = refusalNext(of)
  return (
    <div className="refused">
      <Problem of={blocks.length === 0 ? of : withoutDetail(of)} />
      {blocks.length === 0 ? null : <Blocks of={blocks} />}
      {next === null ? null : <p>{next}</p>}
      {asRefusal(of).code === "no_passkey" ? <Link href="/settings/passkeys">Your passkeys</Link> : null}
    </div>
  )
}
