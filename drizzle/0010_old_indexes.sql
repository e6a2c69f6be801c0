-- All servers must be stopped: one of an older build may search by an index that this drops.
-- Indexes by inner product were made by unreleased builds. Nothing uses them any more, and uploads would go on maintaining them.
DO $$
DECLARE
	old record;
BEGIN
	FOR old IN
		SELECT indexrelid::regclass AS name FROM pg_index
		WHERE indrelid = 'embeddings'::regclass AND indexrelid::regclass::text ~ '^embeddings_hnsw_\d+_halfvec_\d+$'
	LOOP
		EXECUTE 'DROP INDEX ' || old.name;
	END LOOP;
END $$;
--> statement-breakpoint
UPDATE "collections" SET "search_index" = NULL WHERE "search_index" = 'halfvec';
