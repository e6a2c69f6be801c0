CREATE TABLE "maps" (
	"collection_id" bigint PRIMARY KEY NOT NULL,
	"revision" bigint NOT NULL,
	"computed_at" timestamp with time zone NOT NULL,
	"seconds" double precision NOT NULL,
	"points" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "maps" ADD CONSTRAINT "maps_collection_id_collections_collection_id_fk" FOREIGN KEY ("collection_id") REFERENCES "public"."collections"("collection_id") ON DELETE cascade ON UPDATE no action;