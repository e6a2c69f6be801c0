-- Written by hand: embeddings are filed under collections, and each project gets one with its own id,
-- so that stored rows and the indexes over them stay as they are.
-- Locked before they are counted: a server of the version before may still be creating and uploading.
LOCK TABLE "projects", "embeddings" IN ACCESS EXCLUSIVE MODE;
--> statement-breakpoint
CREATE TABLE "collections" (
	"collection_id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "collections_collection_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"vectors" bigint DEFAULT 0 NOT NULL,
	"dimensions" integer,
	"components" bigint GENERATED ALWAYS AS (vectors * coalesce(dimensions, 0)) STORED,
	"search_index" text,
	"measured_vectors" bigint,
	"measured_at" timestamp with time zone,
	CONSTRAINT "collections_search_index" CHECK ("collections"."search_index" in ('halfvec_l2', 'halfvec', 'bit'))
);
--> statement-breakpoint
-- Counted in the primary key alone; all vectors of a project have one dimension.
INSERT INTO "collections" ("collection_id", "vectors", "dimensions") OVERRIDING SYSTEM VALUE
SELECT p."project_id", coalesce(counted."vectors", 0), sample."dimensions"
FROM "projects" p
LEFT JOIN (SELECT "project_id", count(*) AS "vectors" FROM "embeddings" GROUP BY "project_id") AS counted
	ON counted."project_id" = p."project_id"
LEFT JOIN LATERAL (
	SELECT "vector_dim" AS "dimensions" FROM "embeddings" e
	WHERE e."project_id" = p."project_id" ORDER BY e."project_id", e."text_id" LIMIT 1
) AS sample ON true;
--> statement-breakpoint
SELECT setval('collections_collection_id_seq', coalesce(max("collection_id"), 1), max("collection_id") IS NOT NULL) FROM "collections";
--> statement-breakpoint
-- Indexes that are there already serve searches at once.
UPDATE "collections" c SET "search_index" = found.name[2]
FROM (
	SELECT regexp_match(relname, '^embeddings_hnsw_(\d{1,18})_(halfvec|bit)_(\d{1,9})$') AS name
	FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
	WHERE indrelid = 'embeddings'::regclass AND indisvalid AND indisready
) AS found
WHERE found.name[1]::bigint = c."collection_id" AND found.name[3]::integer = c."dimensions";
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "collection_id" bigint;--> statement-breakpoint
UPDATE "projects" SET "collection_id" = "project_id";--> statement-breakpoint
ALTER TABLE "projects" ALTER COLUMN "collection_id" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_collection_id_unique" UNIQUE("collection_id");--> statement-breakpoint
ALTER TABLE "projects" ADD CONSTRAINT "projects_collection_id_collections_collection_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("collection_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "embeddings" DROP CONSTRAINT "embeddings_project_id_projects_project_id_fk";--> statement-breakpoint
ALTER TABLE "embeddings" RENAME COLUMN "project_id" TO "collection_id";--> statement-breakpoint
ALTER TABLE "embeddings" RENAME CONSTRAINT "embeddings_project_id_text_id_pk" TO "embeddings_collection_id_text_id_pk";--> statement-breakpoint
ALTER TABLE "embeddings" ADD CONSTRAINT "embeddings_collection_id_collections_collection_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("collection_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "collections_components" ON "collections" USING btree ("components");--> statement-breakpoint
CREATE INDEX "collections_indexed" ON "collections" USING btree ("collection_id") WHERE "collections"."search_index" is not null;--> statement-breakpoint
-- After a number of changes, not after a share of all rows: a new collection of 50,000 vectors would be
-- unknown to the planner for as long as there are millions of others.
ALTER TABLE "embeddings" SET (
	autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 50000,
	autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 50000,
	autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000
);
