export const loader = () => Response.json(["Elbe", "Main", "Spree"]);
