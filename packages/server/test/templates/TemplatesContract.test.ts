import { layer } from "@pawl/server/node/Templates"
import { templatesContract } from "@pawl/testing/contracts/TemplatesContract"

templatesContract("this package's folder", { layer })
