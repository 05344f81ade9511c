/** Every fenced block: TypeScript is compiled, JSON is parsed, shell is run by `shell.test.ts` or listed with a reason. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { type Block, documents, root } from "./Documents.ts"
import { notRun, shellPages } from "./Shell.ts"

const blocks = documents.flatMap((each) => each.blocks)
const place = ({ page, line }: Block): string => `${page}:${line}`
const of = (language: string): ReadonlyArray<Block> => blocks.filter((block) => block.language === language)

/** A file per block, named after its place. Each is a module of its own. */
const compile = (all: ReadonlyArray<Block>): string => {
  const home = join(root, "node_modules/.cache/pawl")
  mkdirSync(home, { recursive: true })
  const folder = mkdtempSync(join(home, "docs-"))
  try {
    const files = all.map((block) => {
      const name = `${place(block).replaceAll(/[^a-zA-Z0-9]+/g, "_")}.ts`
      writeFileSync(join(folder, name), `${block.text}\nexport {}\n`)
      return name
    })
    const options = {
      noEmit: true,
      composite: false,
      incremental: false,
      rewriteRelativeImportExtensions: false,
      declaration: false,
      declarationMap: false,
      sourceMap: false,
      noUnusedLocals: false,
      customConditions: ["pawl-source"],
      types: ["node"]
    }
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions: options, files })
    )
    return spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", folder, "--pretty", "false"], {
      cwd: folder,
      encoding: "utf8"
    }).stdout
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const errorsIn = (output: string): ReadonlyArray<string> =>
  output.split("\n").filter((line) => /^[a-zA-Z0-9_]+\.ts\(/.test(line))

describe("A code block", () => {
  it("says what it is", () => {
    const known = ["ts", "json", "sh", "text", "console", "mermaid"]
    expect(
      blocks.filter(({ language }) => !known.includes(language)).map((block) => `${place(block)}: ${block.language}`)
    ).toEqual([])
  })

  it("of TypeScript compiles", () => {
    expect(of("ts").length).toBeGreaterThan(0)
    expect(errorsIn(compile(of("ts")))).toEqual([])
  })

  it("of TypeScript that does not compile is found", () => {
    const wrong = {
      page: "wrong.md",
      line: 1,
      language: "ts",
      text: `import { Limits } from "@pawl/core/primitives/Limits"\nexport const x: string = Limits.labelLength`
    }
    expect(errorsIn(compile([wrong]))).toEqual([expect.stringContaining("not assignable to type 'string'")])
  })

  it("of JSON parses", () => {
    const broken = of("json").flatMap((block) => {
      try {
        JSON.parse(block.text)
        return []
      } catch (error) {
        return [`${place(block)}: ${String(error)}`]
      }
    })
    expect(broken).toEqual([])
  })

  it("of shell is run, or is listed with the reason why it cannot be", () => {
    const unlisted = of("sh").filter(({ page, text }) => !shellPages.includes(page) && !notRun.has(text))
    expect(unlisted.map(place)).toEqual([])
    const used = new Set(of("sh").map(({ text }) => text))
    expect([...notRun.keys()].filter((text) => !used.has(text))).toEqual([])
  })
})
