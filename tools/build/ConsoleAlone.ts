/** `node tools/build/ConsoleAlone.ts`: builds the console where its sources changed, and nothing else. */
import { join } from "node:path"
import { buildConsole } from "./Console.ts"

await buildConsole(join(import.meta.dirname, "../.."), (line) => console.log(line))
