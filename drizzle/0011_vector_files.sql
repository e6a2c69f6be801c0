CREATE TABLE "vector_files" (
	"collection_id" bigint NOT NULL,
	"hash" text NOT NULL,
	"revision" bigint NOT NULL,
	"written_at" timestamp with time zone NOT NULL,
	CONSTRAINT "vector_files_collection_id_hash_pk" PRIMARY KEY("collection_id","hash")
);
--> statement-breakpoint
ALTER TABLE "vector_files" ADD CONSTRAINT "vector_files_collection_id_collections_collection_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("collection_id") ON DELETE cascade ON UPDATE no action;