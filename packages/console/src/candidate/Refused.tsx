/** An action that the server refused: its words, every block, and what to do. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { asRefusal } from "../api/Refusal.ts"
import { Problem } from "../ui/Problem.tsx"
import { Blocks } from "./Blocks.tsx"
import { blocksIn, refusalNext } from "./WhatToDo.ts"

/** Nothing for null. */
export const Refused = ({ of }: { readonly of: unknown }): ReactNode => {
  if (of === null) return null
  const blocks = blocksIn(of)
  const next = refusalNext(of)
  return (
    <div className="refused">
      <Problem of={of} />
      {blocks.length === 0 ? null : <Blocks of={blocks} />}
      {next === null ? null : <p>{next}</p>}
      {asRefusal(of).code === "no_passkey" ? <Link href="/settings/passkeys">Your passkeys</Link> : null}
    </div>
  )
}
