import { layer } from "@pawl/server/node/TemplateFolder"
import { templatesContract } from "@pawl/testing/contracts/TemplatesContract"

templatesContract("this package's folder", { layer })
