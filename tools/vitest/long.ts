/**
 * `npm run test:long -- <name>`: what takes too long for every commit, in pieces of at most 20 minutes. `turn` takes the
 * piece whose turn it is by the commit; without a name they are listed. More arguments go to vitest.
 */
import { pieces } from "./LongPieces.ts"
import { conclude, runVitest } from "./Run.ts"
import { turnOf } from "./Turn.ts"

const atMostMs = 20 * 60_000

const [asked, ...rest] = process.argv.slice(2)
const turn = turnOf({ ...process.env, PAWL_TEST_DEPTH: "long" })
const named = asked === "turn" ? pieces[turn.seed % pieces.length] : pieces.find(({ name }) => name === asked)

if (named === undefined) {
  console.log(
    `npm run test:long -- turn, or one of:\n${pieces.map(({ about, name }) => `  ${name}: ${about}`).join("\n")}`
  )
  process.exitCode = asked === undefined ? 0 : 2
} else {
  console.log(`${named.name}: ${named.about}`)
  conclude(turn, await runVitest({ turn, atMostMs, args: [...named.files, ...rest] }))
}
