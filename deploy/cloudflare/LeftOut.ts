/** What no script needs of the code that it is made of, or is made when the scripts are laid out. */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { definition, toolNames } from "@pawl/core/agent/Tools"
import { proposeTool } from "@pawl/core/change/PlanTalk"
import type { Plugin } from "esbuild"
import { namedByModule } from "../../packages/adapters-cloudflare/deploy/Bundler.ts"
import { limitNumbers } from "./LimitNumbers.ts"
import { withoutBodies } from "./WithoutBodies.ts"
import { withoutMachines } from "./WithoutMachines.ts"
import { withoutFields, withoutWords } from "./WithoutWords.ts"

/**
 * No script makes the document of the contract or shows it as a page: both are laid beside `api` (`openapi.txt`). So the
 * library's parts for that are left out, and the words of the contract.
 */
const withoutDocument: Plugin = {
  name: "without-document",
  setup: (each) => {
    each.onLoad({ filter: /http-api\/OpenApi\.js$/ }, () => ({
      loader: "js",
      contents: `import * as Context from "../Context.js"
export const annotations = () => Context.empty()
export const fromApi = () => { throw new Error("the document is laid beside the script of the API") }`
    }))
    each.onLoad({ filter: /http-api\/HttpApiSwagger\.js$/ }, () => ({
      loader: "js",
      contents: `import * as Layer from "../Layer.js"
export const layer = () => Layer.empty`
    }))
    each.onLoad({ filter: /packages\/server\/src\/api\/.*\.ts$/ }, async ({ path }) => ({
      loader: "ts",
      contents: namedByModule(withoutWords(await readFile(path, "utf8")))
    }))
  }
}

/**
 * What the library has for what no script does: a server that listens and sends files from a disk, forms, which every part
 * of the API refuses before (`JsonRequest`), and streams of lines, of which the contract has none.
 */
const withoutFilesAndForms: Plugin = {
  name: "without-files-and-forms",
  setup: (each) => {
    each.onLoad({ filter: /effect\/dist\/http\/HttpServer\.js$/ }, () => ({
      loader: "js",
      contents: `import * as Layer from "../Layer.js"
export const layerServices = Layer.empty`
    }))
    each.onLoad({ filter: /effect\/dist\/encoding\/Ndjson\.js$/ }, () => ({
      loader: "js",
      contents: `const refused = () => { throw new Error("no answer of the contract is a stream by schema") }
export const isNdjsonError = () => false
export { refused as decode, refused as encode }`
    }))
    each.onLoad({ filter: /effect\/dist\/http\/Multipart\.js$/ }, () => ({
      loader: "js",
      contents: `const refused = () => { throw new Error("forms are not taken") }
export const TypeId = "~effect/http/Multipart"
export const MultipartError = { fromReason: refused }
export { refused as limitsServices, refused as makeChannel, refused as schemaJson, refused as schemaPersisted, refused as toPersisted }`
    }))
  }
}

/** Nobody asks what kind of failure a statement had, only what the database said of it. */
const oneSqlError: Plugin = {
  name: "one-sql-error",
  setup: (each) => {
    each.onLoad({ filter: /effect\/dist\/sql\/SqlError\.js$/ }, () => ({
      loader: "js",
      contents: `import { TaggedError } from "../Data.js"
class StatementFailed extends TaggedError("StatementFailed") {}
export class SqlError extends TaggedError("SqlError") {
  cause = this.reason
  get message() {
    return this.reason.message
  }
}
export const classifySqliteError = (cause, { message }) => new StatementFailed({ cause, message })
export { StatementFailed as ConnectionError }`
    }))
  }
}

/** The paths of the contract are of the plainest form. */
const littleRouter: Plugin = {
  name: "little-router",
  setup: (each) => {
    each.onLoad({ filter: /effect\/dist\/http\/FindMyWay\/internal\/router\.js$/ }, () => ({
      loader: "js",
      contents: `import * as QS from "./queryString.js"
import { littleRouter } from ${JSON.stringify(join(import.meta.dirname, "LittleRouter.ts"))}
export const make = littleRouter(QS.parse)
export const getMaxParamLengthExceeded = (router) => router.exceeded()
export const getClosingParenthensePosition = () => { throw new Error("no path of the contract has a pattern") }`
    }))
  }
}

/** What the tools of agents and planners take is told by shapes that are the same each time. */
const knownShapes: Plugin = {
  name: "known-shapes",
  setup: (each) => {
    each.onLoad({ filter: /packages\/core\/src\/agent\/ToolShape\.ts$/ }, () => {
      const names = new Set([...toolNames("implement", false), ...toolNames("research", false)])
      const tools = [...[...names].map(definition), proposeTool]
      const shapes = Object.fromEntries(tools.map(({ name, parameters }) => [name, parameters]))
      return {
        loader: "js",
        contents: `const shapes = ${JSON.stringify(shapes)}
export const shapeOf = (tool) => {
  if (!Object.hasOwn(shapes, tool)) throw new Error("no shape was laid out for " + tool)
  return shapes[tool]
}`
      }
    })
  }
}

interface Lessened {
  readonly path: RegExp
  readonly by: (text: string) => string
}

/** Of the library: code and examples that are made of a schema. Of lives: what their pages tell. */
const toldElsewhere: ReadonlyArray<Lessened> = [
  {
    path: /packages\/core\/src\/model\/\w+Lifecycle\.ts$/,
    by: (text) => withoutFields(text, new Set(["when", "also"]))
  },
  {
    path: /effect\/dist\/Schema(?:AST)?\.js$/,
    by: (text) =>
      withoutFields(text, new Set(["toCode", "toEquivalence", "toFormatter", "arbitraryConstraint", "toJsonSchema"]))
  }
]

/**
 * That the contract is sound was seen when its document was made of it. None of its bodies is a stream by schema, whose
 * encoders answer nothing for every other.
 */
const knownContract: ReadonlyArray<Lessened> = [
  {
    path: /http-api\/HttpApiEndpoint\.js$/,
    by: (text) => withoutBodies(text, ["validateSuccessResponse", "validateResponseExclusivity"])
  },
  {
    path: /http-api\/HttpApiBuilder\.js$/,
    by: (text) => withoutBodies(text, ["makeStreamEncoder", "makePayloadStreamDecoder"])
  }
]

const lessened: Plugin = {
  name: "lessened",
  setup: (each) => {
    for (const { by, path: filter } of [...toldElsewhere, ...knownContract])
      each.onLoad({ filter }, async ({ path }) => ({
        loader: "ts",
        contents: namedByModule(by(await readFile(path, "utf8")))
      }))
  }
}

/** In the order in which they are asked. */
export const leftOut: ReadonlyArray<Plugin> = [
  withoutDocument,
  withoutFilesAndForms,
  oneSqlError,
  littleRouter,
  knownShapes,
  lessened,
  limitNumbers,
  withoutMachines
]
