/**
 * Makes a Citus cluster of databases of one name, on nodes of 127.0.0.1.
 * @param run a statement in the database of a node
 */
export async function joinNodes<Node extends { readonly port: number }>(
  coordinator: Node,
  workers: readonly Node[],
  run: (node: Node, statement: string) => Promise<unknown>,
): Promise<void> {
  await Promise.all([coordinator, ...workers].map((node) => run(node, 'create extension citus')))
  await run(coordinator, `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`)
  for (const { port } of workers)
    await run(coordinator, `select citus_add_node('127.0.0.1', ${port})`)
}
