/**
 * What statements look like in a Project's own repository, whoever writes them there:
 *
 *   statements/<entry / 1000, 5 digits>/<entry, 8 digits>.json   DSSE envelopes
 *   keys.intoto.jsonl                                            those of the keys
 *   keys.checkpoint                                              the signed note over all of those
 *   checkpoint                                                   that over all statements
 */
import type { Publication } from "@pawl/core/provenance/CheckpointPublisher"

/** The ref that is published. */
export const statementsRef = "refs/pawl/statements"

/** The name of this publisher, with which its commits are kept. */
export const gitPublisher = "git"

const pathOf = (entry: number): string =>
  `statements/${String(Math.floor(entry / 1000)).padStart(5, "0")}/${String(entry).padStart(8, "0")}.json`

/** A publication's files by path: they are written over those of the one before. */
export const statementFiles = ({
  checkpoint,
  envelopes,
  from,
  keys,
  keysCheckpoint
}: Pick<Publication, "checkpoint" | "envelopes" | "from" | "keys" | "keysCheckpoint">): ReadonlyArray<
  readonly [path: string, text: string]
> => [
  ...envelopes.map((each, index): [string, string] => [pathOf(from + index), `${each}\n`]),
  ["keys.intoto.jsonl", keys.map((each) => `${each}\n`).join("")],
  ...(keysCheckpoint === null ? [] : [["keys.checkpoint", keysCheckpoint] as const]),
  ...(checkpoint === null ? [] : [["checkpoint", checkpoint] as const])
]

/** What a publication's commit says. */
export const statementsMessage = ({ envelopes, from }: Pick<Publication, "envelopes" | "from">): string =>
  `Statements ${from} to ${from + envelopes.length - 1}`

/** The second at which its commit is dated, since 1970. */
export const statementsSecond = ({ at }: Pick<Publication, "at">): number => Math.floor(Date.parse(at) / 1000)
