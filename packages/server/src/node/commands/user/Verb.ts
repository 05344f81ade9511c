/** What a verb of the command line is. */
import type { Environment } from "./Hosts.ts"
import type { Person } from "./Person.ts"
import type { ProjectChoice } from "./ProjectChoice.ts"
import type { Next } from "./Refused.ts"
import type { ExitCode } from "./Refused.ts"
import type { Table } from "./Screen.ts"
import type { UserClient } from "./UserClient.ts"

/** An option of a verb. */
export interface VerbOption {
  readonly name: string
  readonly short?: string
  /** The word that stands for its value; without it the option is a switch. */
  readonly takes?: string
  readonly many?: boolean
  readonly what: string
}

/** A verb, as help, completions and the reference show it. `load` brings what it does. */
export interface Verb {
  /** `change create` */
  readonly name: string
  readonly what: string
  /** As in the line of usage: `<change>` must be given, `[change]` may, `<files…>` takes more. */
  readonly takes: ReadonlyArray<string>
  readonly options: ReadonlyArray<VerbOption>
  readonly load: () => Promise<Run>
  /** `own`: it ends by itself when it is interrupted, and leaves nothing half done. */
  readonly interruption?: "own"
}

/** What a verb answers. `json` is the document; people see `text` or `table`. */
export interface Outcome {
  readonly json: object
  readonly text?: string
  readonly table?: Table
  readonly exitCode?: ExitCode
  readonly next?: ReadonlyArray<Next>
  /** Whether it was written while it ran: nothing is left to print. */
  readonly written?: boolean
}

/** What a verb is run with. */
export interface Session {
  readonly given: ReadonlyArray<string>
  /** The value of an option; of a switch `"true"`. */
  readonly value: (name: string) => string | undefined
  readonly values: (name: string) => ReadonlyArray<string>
  readonly has: (name: string) => boolean
  readonly json: boolean
  /** The same command line with more words. */
  readonly again: (...more: ReadonlyArray<string>) => string
  readonly environment: Environment
  readonly client: () => UserClient
  readonly project: ProjectChoice
  readonly person: Person
  /** A line about work that goes on, on standard error, where that is a terminal. */
  readonly tell: (line: string) => void
  /** A word of warning on standard error. */
  readonly warn: (line: string) => void
  /** A line of a payload that has no end: the object with `--json`, else the cells. */
  readonly line: (json: object, cells: ReadonlyArray<string>) => void
  /** Standard output's own bytes. */
  readonly payload: (text: string) => void
}

/** Does what a verb says; throws `Refused` when it cannot. */
export type Run = (session: Session) => Promise<Outcome>
