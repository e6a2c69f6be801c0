// A process of its own: makes the files of a new database in the folder that it is given, and ends.
import { PGlite } from '@electric-sql/pglite'

// Whoever asked for it is gone.
process.on('disconnect', () => process.exit(1))

const pglite = await PGlite.create({ dataDir: `${process.argv[2]}` })
await pglite.close()
process.exit(0)
