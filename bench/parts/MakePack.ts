/**
 * Makes a pack in a process of its own: `node MakePack.ts <folder> <generations> <data>`: the last is a data folder whose database has
 * the same statements. What it takes to have 10,000 generations
 * in memory must not slow what is measured. Prints how many statements there are.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { writePack } from "@pawl/testing/provenance/Packs"
import { writeData } from "./DataFolder.ts"
import { makeScene } from "@pawl/testing/provenance/Scenes"

const [folder = "", generations = "", data = ""] = process.argv.slice(2)
mkdirSync(folder)
const { pack } = await makeScene({ repository: join(folder, "repo.git"), generations: Number(generations) })
writePack(folder, pack)
await writeData(data, pack)
process.stdout.write(String(pack.statements.length))
