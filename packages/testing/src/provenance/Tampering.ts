/** One thing that somebody does to a pack, and the code that must name it. */
import type { FindingCode } from "@pawl/core/proof/Findings"
import type { Pack } from "./Packs.ts"
import type { Scene } from "./Scenes.ts"
import { about, changeRecord, approvalOf, Json, rewrite, shaOf } from "./Thieves.ts"

/** One thing that somebody does to a pack. */
export interface Tampering {
  /** Its number in the threat table, 1 to 58, and from 59 on those that were added. */
  readonly number: number
  readonly name: string
  readonly code: FindingCode
  /** The Project that it is done to; default one that had statements from the beginning. */
  readonly to?: "good" | "adopted" | "restored"
  readonly change?: (pack: Pack, scene: Scene) => void | Promise<void>
  /** What is done to the folder when it is written. */
  readonly folder?: (folder: string, scene: Scene) => void
}

/** What nobody has stated. */
export const evil = shaOf("evil")

/** The digest of the bundle of a promotion. */
export const bundleSha = (all: ReadonlyArray<Json>, generation: number): unknown =>
  about(all, generation).get("subject.1.digest")

/** Whether a statement begins an epoch. */
export const isRestored = (statement: Json): boolean => statement.text("predicateType").includes(":restored:")

/** Changes the promotion of a generation, and writes all anew. */
export const restate =
  (generation: number, change: (statement: Json, all: Array<Json>) => void) =>
  (pack: Pack, scene: Scene): void =>
    rewrite(scene, pack, (all) => change(about(all, generation), all))

/** Changes the approval of a generation, and states it anew. */
export const reapprove =
  (generation: number, change: (row: Json, scene: Scene) => void) => (pack: Pack, scene: Scene) => {
    const record = changeRecord(pack, approvalOf(pack, generation), (row) => change(row, scene))
    const approver = new Json(JSON.parse(pack.records.get(approvalOf(pack, generation))!)).text("approver")
    rewrite(scene, pack, (all) => {
      about(all, generation).set("predicate.approvals.0.record", record)
      about(all, generation).set("predicate.approvals.0.approver", approver)
    })
  }
